import { describe, expect, it } from '@jest/globals';
import { loadServiceContract } from '@platform-backend/contract';
import { loadPlatformContract } from '@platform-backend/contracts';

describe('what callers of one service load of the contract', () => {
  const whole = loadPlatformContract();
  const services = [...new Set(whole.operations.map(({ service }) => service))];

  it.each(services)('has of %s just what the whole contract says', (service) => {
    const domain = service.split('.')[1] ?? '';
    const part = loadServiceContract({ domain, image: '' }, service);
    const of = ({ operations }: typeof whole) =>
      operations
        .filter((operation) => operation.service === service)
        .map(({ id, grpcPath, access, idempotent, repetition, pendingLocation }) => ({
          ...{ id, grpcPath, access, idempotent, repetition, pendingLocation },
        }));
    expect(of(part)).toEqual(of(whole));
    expect(Object.keys(part.serviceDefinition(service))).toEqual(Object.keys(whole.serviceDefinition(service)));
  });

  it('names the service that a domain does not have', () => {
    expect(() => loadServiceContract({ domain: 'billing', image: '' }, 'platform.billing.v1.NoService')).toThrow(
      'the contract has no service platform.billing.v1.NoService',
    );
  });
});
