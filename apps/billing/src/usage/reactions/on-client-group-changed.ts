import type {
  ClientGroupArchived,
  ClientGroupCreated,
  ClientGroupUpdated,
} from '@platform-backend/contract-identity/events';
import type { Effect } from '@platform-backend/events';
import { clientPolicyOf, type VersionedPolicy } from '../domain/client-policy.ts';
import { dayOf } from '../domain/days.ts';

type ClientGroupChanged = ClientGroupCreated | ClientGroupUpdated | ClientGroupArchived;

type SavePolicy<Transaction> = (
  transaction: Transaction,
  organisationId: string,
  policy: VersionedPolicy,
  heardAt: Date,
) => Promise<void>;

/** Writes down the policy that a changed client group has from now on. */
export const onClientGroupChanged =
  <Transaction>(save: SavePolicy<Transaction>): Effect<Transaction, ClientGroupChanged> =>
  async (transaction, { organisationId, data: { client_group_id: clientGroupId, group }, time }) => {
    // Null where the policy stays as it was; events from before it was told do not have it.
    if (!group) return;
    const { policy } = group;
    const told: VersionedPolicy = {
      clientGroupId,
      version: BigInt(group.version),
      isDefault: group.is_default,
      countedFrom: dayOf(new Date(group.created_at)),
      policy:
        policy &&
        clientPolicyOf({
          periodDays: policy.period_days,
          aiCreditLimit: policy.ai_credit_limit,
          infrastructureCreditLimit: policy.infrastructure_credit_limit,
          requestLimit: policy.request_limit,
          hardStop: policy.hard_stop,
        }),
    };
    await save(transaction, organisationId, told, time);
  };
