import type { MemberStatus } from '@platform-backend/contract-identity';
import { invalid } from '@platform-backend/core';

/** INVALID: a status that the contract knows, but that is reached by a call of its own with its own rules. */
export function settableStatus<Settable extends MemberStatus>(
  status: MemberStatus,
  settable: readonly Settable[],
): Settable {
  const found = settable.find((one) => one === status);
  if (found) return found;
  const expected = settable
    .map((one) => `'${one}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
  const msg = `Input should be ${expected}`;
  throw invalid([{ type: 'enum', loc: ['body', 'status'], msg, input: status, ctx: { expected } }]);
}
