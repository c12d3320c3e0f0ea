import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { camelCase, type Contract, type Operation } from '@platform-backend/contract';
import { openApi } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';
import { serviceVariable } from '@platform-backend/core';
import { startGatewayHere } from '@platform-backend/gateway/testing/gateway-here';
import { startStandInService } from '@platform-backend/gateway/testing/stand-in-service';
import { releasedContract } from '@platform-backend/protos/released';
import { startTestIdentityProvider, type TestIdentityProvider } from '@platform-backend/testing';
import protobuf from 'protobufjs';
import { send } from '../src/http.ts';
import { sampleRequest, samplePath, type OpenApiDocument } from '../src/sample-request.ts';

/**
 * While a service is deployed by itself, gateways and services of two releases work together. Each real gateway is asked every
 * operation of the released contract, in front of services that know the other contract, and has to answer as the released
 * gateway does in front of released services.
 */
const released = releasedContract();
const today = loadPlatformContract();

/** What a client of the last release may ask, one answer a call. */
const asked = released.operations.filter(
  ({ http, requestStream, responseStream }) => http && !requestStream && !responseStream,
);

type Answer = { readonly status: number; readonly body: unknown };
interface Gateway {
  ask(operation: Operation): Promise<Answer>;
}

let keys: Awaited<ReturnType<typeof generateServiceKeys<'gateway'>>>;
let issuer: TestIdentityProvider;
let token: string;
const stopping: (() => Promise<unknown>)[] = [];

/** Services of a contract, which answer each operation that has an address over HTTP with every field of its answer. */
async function servicesOf(contract: Contract): Promise<Record<string, string>> {
  const domains = [...new Set(contract.operations.map(({ domain }) => domain))];
  const member = {
    userId: 'ada',
    organisationId: 'org_ada',
    level: 'OWNER',
    userName: 'Ada',
    userEmail: 'ada@example.com',
  };
  const servers = await Promise.all(
    domains.map(async (domain) => {
      const own = contract.operations.filter((operation) => operation.domain === domain && operation.http);
      const handlers = new Map(
        own
          .filter(({ responseStream }) => !responseStream)
          .map(({ id, responseType }) => [id.split('.').at(-1) ?? '', () => sampleMessage(responseType)] as const),
      );
      handlers.set('AuthenticationService/ResolveUser', () => member);
      const server = await startStandInService({ domain, contract, publicKeys: keys.publicKeys, handlers });
      stopping.push(() => server.drain());
      return [serviceVariable(domain, 'ADDRESS'), server.address] as const;
    }),
  );
  return Object.fromEntries(servers);
}

async function gatewayInFrontOf(services: Record<string, string>, contract: Contract): Promise<Gateway> {
  const environment = {
    ...services,
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCE: issuer.audience,
    SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.gateway),
    CURSOR_KEY: 'a cursor key for tests',
    GATEWAY_CALLER_BURST: '1000000',
    GATEWAY_MAX_EVENT_LOOP_LAG_MS: '600000',
    GATEWAY_DEADLINE_MS: '60000',
    GATEWAY_READ_DEADLINE_MS: '60000',
    GATEWAY_CALLER_LOOK_UP_MS: '60000',
  };
  const gateway = await startGatewayHere(environment, contract);
  stopping.unshift(() => gateway.stop());
  return {
    async ask({ http }) {
      const [verb, path] = [http?.verb ?? 'GET', http?.path ?? ''];
      const request = { ...sampleRequest(document, verb, path), token };
      const { status, body } = await send(gateway.url, verb, samplePath(path), request);
      return { status, body };
    },
  };
}

/** Operations of which the smallest request that the schema allows is refused: by a rule between fields, or for want of a signature. */
const UNSATISFIED = [
  '403 platform.billing.v1.WebhookService/ReceiveStripeWebhook',
  '422 platform.pipelines.v1.DatasetService/CompareDataDictionaries',
  '422 platform.pipelines.v1.PipelineService/ComparePipelineVersions',
  '422 platform.pipelines.v1.TaskTemplateService/PreviewSchedule',
];

const document = openApi(released) as unknown as OpenApiDocument;

/** Every field with a value that says its name, so that one that arrives as another is seen. */
function sampleMessage(type: protobuf.Type, depth = 0): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  type.resolveAll();
  for (const field of type.fieldsArray) {
    const [first] = field.partOf?.fieldsArray ?? [field];
    // Of a oneof the member that was first in the release.
    if (first !== field || depth > 4) continue;
    const value = sampleValue(field, depth);
    message[camelCase(field.name)] = field.map ? { key: value } : field.repeated ? [value] : value;
  }
  return message;
}

function sampleValue(field: protobuf.Field, depth: number): unknown {
  const { resolvedType, type, name } = field;
  if (resolvedType instanceof protobuf.Enum)
    return Object.keys(resolvedType.values).find((value) => resolvedType.values[value] === 1);
  switch (resolvedType?.fullName) {
    case undefined:
      break;
    case '.google.protobuf.Timestamp':
      return new Date(Date.UTC(2026, 0, 1 + name.length));
    case '.google.protobuf.Struct':
    case '.google.protobuf.Value':
      return { [name]: 1 };
    case '.google.protobuf.ListValue':
      return [name];
    default:
      return sampleMessage(resolvedType as protobuf.Type, depth + 1);
  }
  if (type === 'string') return `${name} of a sample`;
  if (type === 'bytes') return Buffer.from(name);
  if (type === 'bool') return true;
  return 1 + name.length;
}

/** What of the answer before is not there, or otherwise, by path; what is new beside it is no difference. */
function lost(before: unknown, now: unknown, path = ''): string[] {
  if (Array.isArray(before) && Array.isArray(now))
    return before.flatMap((each, index) => lost(each, now[index], `${path}[${index}]`));
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null)
    return Object.is(before, now) ? [] : [`${path}: ${JSON.stringify(before)} became ${JSON.stringify(now)}`];
  return Object.entries(before).flatMap(([key, value]) =>
    lost(value, (now as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
  );
}

const answersOf = async (gateway: Gateway): Promise<Map<string, Answer>> => {
  const answers = new Map<string, Answer>();
  for (const operation of asked) answers.set(operation.id, await gateway.ask(operation));
  return answers;
};

describe('the release before beside this one', () => {
  let before: Map<string, Answer>;
  let releasedServices: Record<string, string>;

  beforeAll(async () => {
    [keys, issuer] = await Promise.all([generateServiceKeys(['gateway']), startTestIdentityProvider()]);
    stopping.push(() => issuer.stop());
    token = await issuer.token();
    releasedServices = await servicesOf(released);
    before = await answersOf(await gatewayInFrontOf(releasedServices, released));
  });
  afterAll(async () => {
    for (const stop of stopping) await stop();
  });

  it('answers every operation of the last release, but for those that a sample does not satisfy', () => {
    const failed = [...before].filter(([, { status }]) => status >= 300).map(([id, { status }]) => `${status} ${id}`);
    expect(asked.length).toBeGreaterThan(100);
    expect(failed.toSorted()).toEqual(UNSATISFIED);
  });

  const differences = (now: ReadonlyMap<string, Answer>): string[] =>
    [...before]
      .filter(([, { status }]) => status < 300)
      .flatMap(([id, was]) => lost(was, now.get(id)).map((what) => `${id} ${what}`));

  it('today’s gateway answers in front of the services of the last release as theirs did', async () => {
    expect(differences(await answersOf(await gatewayInFrontOf(releasedServices, today)))).toEqual([]);
  });

  it('the gateway of the last release answers in front of today’s services as in front of theirs', async () => {
    const services = await servicesOf(today);
    expect(differences(await answersOf(await gatewayInFrontOf(services, released)))).toEqual([]);
  });
});
