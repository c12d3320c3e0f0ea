import { describe, expect, it } from '@jest/globals';
import { loadPlatformContract } from '@platform-backend/contracts';
import { openOperations } from './open-operations.ts';

const { operations } = loadPlatformContract();
const NAME = 'billing.PaymentMethodService/CreateSetupIntent';

const open = (names: readonly string[]): string[] =>
  openOperations(operations, names)
    .filter(({ access }) => access.credentials.includes('ANONYMOUS'))
    .map(({ id }) => id);

describe('opening operations', () => {
  it('opens those that are named and no other', () => {
    const id = 'platform.billing.v1.PaymentMethodService/CreateSetupIntent';
    expect(open([])).not.toContain(id);
    expect(open([NAME]).filter((opened) => !open([]).includes(opened))).toEqual([id]);
  });

  it('leaves the contract itself as it is', () => {
    const before = structuredClone(operations.map(({ access }) => access));
    open([NAME]);
    expect(operations.map(({ access }) => access)).toEqual(before);
  });

  it('names every wrong name, says why, and what would have been right', () => {
    const names = ['billing.Nonsense/Create', NAME, 'identity.OrganisationService/CreateOrganisation'];
    expect(() => open(names)).toThrow(
      expect.objectContaining({
        problems: [
          `GATEWAY_OPEN_OPERATIONS names billing.Nonsense/Create, which is no operation; what may be opened is ${NAME}.`,
          `GATEWAY_OPEN_OPERATIONS names identity.OrganisationService/CreateOrganisation, which must not be opened; what may be opened is ${NAME}.`,
        ],
      }),
    );
  });
});
