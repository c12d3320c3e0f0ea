import { describe, expect, it } from '@jest/globals';
import { fieldRules } from '@platform-backend/contract';
import { loadPlatformContract } from '@platform-backend/contracts';
import protobuf from 'protobufjs';

describe("the platform's operations", () => {
  const contract = loadPlatformContract();
  const routes = contract.operations.flatMap(({ http }) => (http ? [`${http.verb} ${http.path}`] : []));

  // Part 4 of the specification. These paths never change.
  it.each([
    'POST /client-groups/',
    'POST /api-keys/',
    'POST /task-templates/',
    'DELETE /task-templates/{template_id}/',
    'POST /agents/submit-to-assistant/',
    'GET /assistants/available/',
    'POST /documents/upload/',
    'GET /documents/{document_id}/',
    'POST /organisations/',
    'GET /organisations/current/',
    'POST /organisations/subscription/',
    'GET /pipelines/{pipeline_id}/',
    'GET /pipelines/{pipeline_id}/versions/',
    'GET /pipelines/{pipeline_id}/runs/',
    'GET /messages/',
    'GET /conventions/{convention_id}',
    'GET /credits/price-preview/',
    'GET /data-dictionary/{dataset_id}/',
    'POST /inference/transcribe',
    'DELETE /reports/{report_id}/',
    'POST /notebooks/services/session/api/kernels/{kernel_id}/interrupt',
    'GET /notebooks/services/running',
    'DELETE /notebooks/{notebook_id}',
    'POST /payment-methods/create-setup-intent/',
  ])('%s is there', (route) => {
    expect(routes).toContain(route);
  });

  it('are found by their id, and a wrong id is named', () => {
    const [first] = contract.operations;
    expect(contract.operation(first?.id ?? '')).toBe(first);
    expect(() => contract.operation('platform.nothing')).toThrow('the contract has no operation platform.nothing');
  });

  it('leave it to people who administer to pass a used-up limit of requests', () => {
    expect([...contract.levelsPassingRequestLimit]).toEqual(['ADMIN', 'OWNER']);
  });

  it('can each be called by somebody', () => {
    for (const { id, access: rule, http } of contract.operations) {
      const callers = http ? rule.credentials : rule.services;
      expect({ id, callers: callers.length > 0 }).toEqual({ id, callers: true });
    }
  });

  it('name an area wherever an API key may call, so that scopes can open it, unless any user may', () => {
    const withoutArea = contract.operations.filter(
      ({ access: { credentials, level, area } }) =>
        credentials.some((kind) => kind.startsWith('API_KEY')) && level !== undefined && area === undefined,
    );
    expect(withoutArea.map(({ id }) => id)).toEqual([]);
  });

  it('have fields whose rules are all known', () => {
    const check = (namespace: protobuf.NamespaceBase): void => {
      if (namespace instanceof protobuf.Type) namespace.fieldsArray.forEach(fieldRules);
      for (const nested of namespace.nestedArray) if (nested instanceof protobuf.Namespace) check(nested);
    };
    expect(() => check(contract.root)).not.toThrow();
  });
});
