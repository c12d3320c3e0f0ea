/** Reads or makes client groups in one variant whenever its parent tells it to. */
import { callerAssertions, type Caller, type CallerAssertionOptions } from '@platform-backend/auth';
import { loadContract } from '@platform-backend/contract';
import { identityContract, type ClientGroupServiceClient } from '@platform-backend/contract-identity';
import { newId, type ActorContext } from '@platform-backend/core';
import { createClient, GATEWAY, type CallOptions, type Closable } from '@platform-backend/grpc';
import { clientGroupsTable, getWholeStatement } from '@platform-backend/identity/client-groups-store';
import { createClientGroup } from '@platform-backend/identity/create-client-group';
import { addRowStatement, addRowValues } from '@platform-backend/identity/record-events';
import { serveLoads, type Load } from '../caller-process.ts';
import type { Variant } from '../compare-variants.ts';
import { transactionsThroughPg, type PgOptions } from '../through-pg.ts';

export interface GroupLoad extends Load {
  readonly task: 'get' | 'post';
}

export interface VariantParts extends PgOptions {
  readonly identityAddress: string;
  readonly privateKey: CallerAssertionOptions['privateKey'];
  readonly caller: Caller;
  /** Of the group that is read. */
  readonly groupId: string;
}

type Tasks = Readonly<Record<GroupLoad['task'], () => Promise<void>>>;

const GROUP = { name: 'Northern region', description: 'Clients of the three northern offices' };

function throughPg(variant: 'direct' | 'pipelined', { caller, groupId, ...parts }: VariantParts): Tasks {
  const run = transactionsThroughPg(parts, variant === 'direct' ? 'one_by_one' : 'together');
  const { organisationId = '', userId = '', userName = '' } = caller;
  const by: ActorContext = {
    organisationId,
    actor: { type: 'user', id: userId, name: userName, userId, level: 'OWNER' },
    requestId: 'bench',
  };
  const add = addRowStatement(clientGroupsTable);
  return {
    async get() {
      const { rows } = await run(organisationId, { ...getWholeStatement, values: [organisationId, groupId] });
      if (rows.length !== 1) throw new Error('the statement read nothing');
    },
    async post() {
      const created = createClientGroup({ ...GROUP, id: newId() }, new Date());
      await run(organisationId, { ...add, values: addRowValues(clientGroupsTable, by, created) });
    },
  };
}

function throughService({ identityAddress, privateKey, caller, groupId }: VariantParts): Tasks {
  const client = createClient<ClientGroupServiceClient<CallOptions> & Closable>({
    contract: loadContract(identityContract),
    service: 'platform.identity.v1.ClientGroupService',
    address: identityAddress,
    assertions: callerAssertions({ service: GATEWAY, privateKey }),
    timeoutMs: 60_000,
  });
  return {
    get: async () => void (await client.getClientGroup({ groupId }, { caller })),
    post: async () => void (await client.createClientGroup(GROUP, { caller })),
  };
}

serveLoads(({ variant, ...parts }: VariantParts & { readonly variant: Variant }) => {
  const tasks = variant === 'grpc' ? throughService(parts) : throughPg(variant, parts);
  return ({ task }: GroupLoad) => tasks[task];
});
