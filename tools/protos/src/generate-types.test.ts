import { describe, expect, it } from '@jest/globals';
import type {
  ClientGroup,
  ClientGroupInput,
  ClientGroupServiceClient,
  ClientGroupServiceHandlers,
  ClientPolicy,
  CreateClientGroupRequestInput,
  MemberStatus,
  InviteMemberRequest,
  UpdateMemberRequest,
} from '@platform-backend/contract-identity';
import { loadSample, loadStreams } from '@platform-backend/contract/testing/sample-contract';
import { generateTypes } from './generate-types.ts';

describe('the generated types', () => {
  it('of a package with every way to stream are these', () => {
    expect(generateTypes(loadStreams().root, 'streams').get('v1.ts')).toMatchSnapshot();
  });

  it('of a package with every shape are these', () => {
    expect(generateTypes(loadSample().root, 'sample').get('v1.ts')).toMatchSnapshot();
  });
});

/** Accepted by the type checker or not; nothing here runs for its effect. */
describe('the generated types, for the type checker', () => {
  const id = '0199c0de-0000-7000-8000-000000000000';
  const whole: ClientGroupInput = {
    id,
    name: 'Clients',
    description: '',
    archived: false,
    isDefault: true,
    members: [{ id, name: 'Ada', email: 'ada@example.com', status: 'active', folderAccess: [], fileAccess: [] }],
    workspaces: [],
    usage: { requests: 5, plan: 'x', limit: null },
    assetAccess: [{ entry: { a: 'b' } }],
    folderAccess: [],
    fileAccess: [],
  };

  it('let what may be null be left out of an answer, and nothing else', () => {
    const { name: _, ...rest } = whole;
    // @ts-expect-error -- a client group without a name is no answer
    const nameless: ClientGroupInput = rest;
    expect(nameless).not.toHaveProperty('name');
    expect(whole).not.toHaveProperty('policy');
  });

  it('refuse an enum value that the contract does not have', () => {
    // @ts-expect-error -- the long name is known to the .proto file alone
    const status: MemberStatus = 'MEMBER_STATUS_ACTIVE';
    expect(status).toBeDefined();
  });

  it('make the reader think of null', () => {
    const hardStop = (group: ClientGroup): boolean => {
      // @ts-expect-error -- a group may have no policy
      return group.policy.hardStop;
    };
    const levelOf = (request: UpdateMemberRequest): string => request.permissionLevel ?? 'unchanged';
    expect([hardStop, levelOf]).toHaveLength(2);
  });

  it('spare the reader null where the check of a request has seen to it', () => {
    const levelOf = (request: InviteMemberRequest): string => request.permissionLevel.toLowerCase();
    expect(levelOf({ email: 'ada@example.com', permissionLevel: 'VIEWER' })).toBe('viewer');
  });

  it('let a request leave out all that is not required', () => {
    const request: CreateClientGroupRequestInput = { name: 'Clients' };
    // @ts-expect-error -- the name is required
    const nameless: CreateClientGroupRequestInput = {};
    expect([request, nameless]).toHaveLength(2);
  });

  it('take what was read as something to write', () => {
    const policy: ClientPolicy = {
      periodDays: 30,
      aiCreditLimit: '9007199254740993',
      infrastructureCreditLimit: null,
      requestLimit: null,
      hardStop: true,
    };
    const answer: ClientGroupInput = { ...whole, policy };
    expect(answer.policy).toBe(policy);
  });

  it('say what handlers and clients take and give', () => {
    type Context = { organisationId: () => string };
    const handlers: Pick<ClientGroupServiceHandlers<Context>, 'createClientGroup'> = {
      createClientGroup: (request, context) =>
        Promise.resolve({ ...whole, id: context.organisationId(), name: request.name }),
    };
    const call = (client: ClientGroupServiceClient): Promise<ClientGroup> =>
      client.createClientGroup({ name: 'Clients' });
    expect([handlers.createClientGroup, call]).toHaveLength(2);
  });
});
