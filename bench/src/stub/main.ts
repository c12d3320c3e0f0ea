/**
 * A stand-in for identity that keeps nothing: every answer is made once and sent again. It takes the
 * service's own CPU out of the measurement, which on a small machine competes with the gateway.
 */
import {
  Server,
  ServerCredentials,
  type MethodDefinition,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTOS = new URL('../../../protos', import.meta.url).pathname;
const PACKAGE = 'platform.identity.v1';

const user = { id: '0199a000-0000-7000-8000-000000000001', name: 'Ada Lovelace', email: 'ada@example.com' };
const organisationId = 'org_01JD00000000000000000BENCH';

const clientGroup = {
  id: '0199a000-0000-7000-8000-000000000002',
  name: 'Northern region',
  description: 'Clients of the three northern offices',
  members: [0, 1, 2].map((number) => ({
    id: `0199a000-0000-7000-8000-00000000010${number}`,
    name: `Client ${number}`,
    email: `client${number}@example.com`,
    status: 'MEMBER_STATUS_ACTIVE',
  })),
  workspaces: [
    {
      id: '0199a000-0000-7000-8000-000000000201',
      name: 'Sales',
      description: 'Sales figures',
      access_level: 'ACCESS_LEVEL_VIEW',
    },
  ],
  policy: { period_days: 30, ai_credit_limit: '1000', request_limit: '100000', hard_stop: true },
};

const answers: Record<string, object> = {
  'AuthenticationService/ResolveUser': {
    user_id: user.id,
    user_name: user.name,
    user_email: user.email,
    email_verified: true,
    organisation_id: organisationId,
    level: 'PERMISSION_LEVEL_OWNER',
  },
  'ClientGroupService/GetClientGroup': clientGroup,
  'ClientGroupService/CreateClientGroup': clientGroup,
  // The default group, with no policy.
  'ClientGroupService/ResolveClientPolicy': { group_id: clientGroup.id, version: '1', is_default: true },
  'OrganisationService/GetCurrentOrganisation': {
    email: 'office@example.com',
    name: 'Example Ltd',
    image_url: 'https://example.com/logo.png',
    id: organisationId,
    members: [{ id: '0199a000-0000-7000-8000-000000000301', user, permission_level: 'PERMISSION_LEVEL_OWNER' }],
    subscription_tier: 'SUBSCRIPTION_TIER_BASIC',
    max_member_limit: 5,
    seats_renewal_cycle: 'RENEWAL_CYCLE_MONTHLY',
  },
};

const definitions = loadSync(
  ['authentication', 'client_groups', 'organisations'].map((name) => `platform/identity/v1/${name}.proto`),
  { includeDirs: [PROTOS], keepCase: true },
);

const server = new Server();
for (const service of ['AuthenticationService', 'ClientGroupService', 'OrganisationService']) {
  const methods = definitions[`${PACKAGE}.${service}`] as Record<string, MethodDefinition<object, object>>;
  const answered = Object.entries(methods).filter(([method]) => answers[`${service}/${method}`] !== undefined);
  const ready = answered.map(([method, definition]) => {
    const bytes = definition.responseSerialize(answers[`${service}/${method}`] as object);
    return [
      method,
      { ...definition, requestDeserialize: (request: Buffer) => request, responseSerialize: () => bytes },
    ] as const;
  });
  const handlers = ready.map(
    ([method]) =>
      [method, (_: ServerUnaryCall<unknown, object>, done: sendUnaryData<object>) => done(null, {})] as const,
  );
  server.addService(Object.fromEntries(ready), Object.fromEntries(handlers));
}

server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${JSON.stringify({ ready: true, address: `127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
