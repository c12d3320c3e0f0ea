import { describe, expect, it } from '@jest/globals';
import { loadShapes } from '@platform-backend/contract/testing/sample-contract';
import { loadPlatformContract } from '@platform-backend/contracts';

const platform = loadPlatformContract();
const shapes = loadShapes();

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

/** A request as its service gets it from another service, after the check, and what the check found. */
function checked(operationId: string, sent: Record<string, unknown>, contract = platform) {
  const { service, method, grpcPath } = contract.operation(operationId);
  const rpc = contract.serviceDefinition(service)[method];
  if (!rpc) throw new Error(`no definition of ${operationId}`);
  const bytes = rpc.requestSerialize(sent);
  const request = rpc.requestDeserialize(bytes) as Record<string, unknown>;
  const found: unknown = JSON.parse(JSON.stringify(contract.requestCheck(grpcPath)(request, bytes.length)));
  return { found, request };
}

const reserve = 'platform.billing.v1.CreditService/ReserveCredits';
const createTemplate = 'platform.pipelines.v1.TaskTemplateService/CreateTaskTemplate';
const updateKey = 'platform.identity.v1.ApiKeyService/UpdateApiKey';

describe('what another service leaves out', () => {
  it('gets its default where it cannot be a value: a number that may not be zero, an enum, a message', () => {
    const wanted = { reservationId: id, amountMicros: 1, purpose: 'x' };
    expect(checked(reserve, wanted).request).toMatchObject({ lifetimeSeconds: 30 });
    expect(checked('platform.billing.v1.UsageService/GetUsage', {}).request).toMatchObject({
      groupBy: 'day',
      limit: 50,
    });
    expect(checked(createTemplate, {}).request).toMatchObject({ context: { entities: [] } });
  });

  it('gets a default of its own, which other requests do not share', () => {
    const [one, other] = [checked(createTemplate, {}).request, checked(createTemplate, {}).request];
    expect(one['context']).not.toBe(other['context']);
  });

  it('stays as it is where it may be a value: an empty text, an empty list, zero', () => {
    const createPipeline = 'platform.pipelines.v1.PipelineService/CreatePipeline';
    expect(checked(createPipeline, {}).request).toMatchObject({ description: '' });
    expect(checked('platform.identity.v1.ApiKeyService/CreateApiKey', {}).request).toMatchObject({ scopes: [] });
    expect(checked('platform.billing.v1.CreditService/SettleCredits', { reservationId: id }).found).toEqual([]);
  });

  it('is refused where it is required and cannot be a value', () => {
    expect(checked(reserve, {}).found).toMatchObject([
      { type: 'uuid_parsing', loc: ['body', 'reservation_id'], input: '' },
      { type: 'greater_than_equal', loc: ['body', 'amount_micros'], input: '0' },
      { type: 'string_too_short', loc: ['body', 'purpose'], input: '' },
    ]);
    expect(checked('platform.billing.v1.SubscriptionService/ChangeSubscription', { seatCount: 1 }).found).toEqual([
      { type: 'missing', loc: ['body', 'subscription_tier'], msg: 'Field required', input: null },
    ]);
  });

  it('is a value where the update mask names it', () => {
    const update = (...paths: string[]) => checked(updateKey, { keyId: id, updateMask: { paths } }).found;
    expect(update()).toEqual([]);
    expect(update('expires_at', 'client_group_id', 'scopes')).toEqual([]);
    expect(update('name')).toMatchObject([{ type: 'string_too_short', loc: ['body', 'name'] }]);
  });
});

describe('a request from another service', () => {
  it('gets its texts in the form in which the gateway would send them', () => {
    const { found, request } = checked('platform.identity.v1.ClientGroupService/AddClientMember', {
      groupId: id.toUpperCase(),
      name: 'Ada',
      email: 'Ada@EXAMPLE.com',
    });
    expect(found).toEqual([]);
    expect(request).toMatchObject({ groupId: id, email: 'Ada@example.com', status: 'active' });
    const ids = { reservationIds: [`{${id}}`, id] };
    expect(checked('platform.billing.v1.CreditService/ExtendReservations', ids).request).toMatchObject({
      reservationIds: [id, id],
    });
  });

  it('keeps 64-bit integers exact', () => {
    const { request } = checked(reserve, { reservationId: id, amountMicros: 2n ** 63n - 1n, purpose: 'x' });
    expect(request).toMatchObject({ amountMicros: '9223372036854775807' });
  });

  it('is refused for an update mask that names no field', () => {
    expect(checked(updateKey, { keyId: id, updateMask: { paths: ['expiresAt'] } }).found).toMatchObject([
      { type: 'value_error', loc: ['body', 'update_mask'], input: 'expiresAt' },
    ]);
  });

  it('is refused when it is larger than such a request may be, however right its fields are', () => {
    const store = 'platform.requests.v1.RequestService/StoreThing';
    const fields = { thingId: id, text: 'x'.repeat(500), notes: Array<string>(8).fill('x'.repeat(50)) };
    expect(checked(store, { ...fields, link: 'x'.repeat(25) }, shapes).found).toEqual([]);
    expect(checked(store, { ...fields, link: 'x'.repeat(26) }, shapes).found).toEqual([
      {
        type: 'bytes_too_long',
        loc: ['body'],
        msg: 'Data should have at most 1000 bytes',
        input: null,
        ctx: { max_length: 1000 },
      },
    ]);
  });

  it('is told everything that is wrong, by its place in the HTTP request', () => {
    const wrong = { groupId: 'x', limit: 201 };
    expect(checked('platform.identity.v1.ClientGroupService/ListClientMembers', wrong).found).toMatchObject([
      { type: 'uuid_parsing', loc: ['path', 'group_id'], input: 'x' },
      { type: 'less_than_equal', loc: ['query', 'limit'], input: 201, ctx: { le: 200 } },
    ]);
  });

  it('does not get a secret shown', () => {
    const wrong = { account: { user: 'ada', password: 'short' } };
    const { found } = checked('platform.requests.v1.RequestService/WriteThing', wrong, shapes);
    expect(found).toMatchObject([{ loc: ['body', 'account', 'password'], input: '[redacted]' }]);
  });
});
