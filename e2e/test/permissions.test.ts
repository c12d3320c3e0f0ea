import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '@platform-backend/contract';
import { loadPlatformContract } from '@platform-backend/contracts';
import { repetitions } from '@platform-backend/testing';
import { bodyChecks, undocumented, type DescribedAnswers } from '../src/documented-answers.ts';
import { expectedAccess, LEVELS, nameOf, type Credential, type Expected, type Level } from '../src/expected-access.ts';
import { send, type RequestParts } from '../src/http.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { CreatedApiKey, Organisation } from '../src/resources.ts';
import { sampleRequest, samplePath } from '../src/sample-request.ts';

const platform = sharedPlatform();
const operations = loadPlatformContract().operations.filter((operation) => operation.http !== undefined);

/** These end what the other cases need; they come last, each after everything that is refused. */
const LAST = ['OrganisationService/LeaveOrganisation', 'OrganisationService/DeleteCurrentOrganisation'];
const lastness = ({ id }: Operation): number => LAST.findIndex((name) => id.endsWith(name));

const SCOPES = ['*:read', '*:write', '*:admin', 'client_groups:admin', 'audit_log:admin'];

const credentials: Credential[] = [
  { kind: 'nothing' },
  { kind: 'token without organisation' },
  ...LEVELS.map((level): Credential => ({ kind: 'token', level })),
  ...SCOPES.flatMap((scope): Credential[] => [
    { kind: 'API key', creator: 'OWNER', scope },
    { kind: 'Api-key header', creator: 'OWNER', scope },
  ]),
  { kind: 'API key', creator: 'EDITOR', scope: '*:admin' },
];

/** What an operation itself has against a sample, whoever sends it. */
const saysOfSamples: Readonly<Record<string, number>> = {
  // It has to be said with what.
  'platform.pipelines.v1.PipelineService/ComparePipelineVersions': 422,
  // The URL is the credential, and nobody has signed this one.
  'platform.content.v1.FileService/UploadFile': 403,
  'platform.content.v1.FileService/DownloadFile': 403,
  // Of which collection? And for which groups and members, as those of the sample are nobody's.
  'platform.content.v1.CollectionService/GetCollectionAccess': 422,
  'platform.content.v1.CollectionService/SetCollectionAccess': 422,
  // The addresses of documents and of a server are ones that there are, by https.
  'platform.content.v1.DocumentImportService/ImportDocument': 422,
  'platform.content.v1.DocumentImportService/CreateDocumentImport': 422,
  'platform.content.v1.ToolServerService/CreateToolServer': 422,
  // A report is made of a text or of a message, not of both.
  'platform.content.v1.ReportService/CreateReport': 422,
  // Likewise where webhooks go.
  'platform.pipelines.v1.WebhookService/CreateWebhook': 422,
  // A database has a password.
  'platform.pipelines.v1.ConnectionService/CreateConnection': 422,
  // Nothing says when.
  'platform.pipelines.v1.TaskTemplateService/PreviewSchedule': 422,
  // How many seats, of which tier?
  'platform.billing.v1.SubscriptionService/PreviewSubscription': 422,
  // The time of the sample is over.
  'platform.billing.v1.TestClockService/AdvanceTestClock': 422,
  'platform.billing.v1.CreditService/PreviewCreditPurchase': 422,
  // A sum of what? Of which CloudEvents?
  'platform.billing.v1.MeterService/CreateMeter': 422,
  'platform.billing.v1.MeterService/IngestUsageEvents': 422,
  // No credits, no notebook, no WebSocket.
  'platform.notebooks.v1.JupyterService/StartKernel': 402,
  'platform.notebooks.v1.JupyterService/CreateSession': 402,
  'platform.notebooks.v1.JupyterService/OpenChannels': 426,
  'platform.notebooks.v1.JupyterContentsService/SaveContents': 400,
  'platform.notebooks.v1.NotebookService/SaveNotebook': 422,
  'platform.notebooks.v1.NotebookService/ImportNotebook': 422,
  'platform.notebooks.v1.NotebookService/SaveNotebookFile': 400,
  // The id of the sample is no name of a variable.
  'platform.notebooks.v1.NotebookEnvironmentService/SetEnvironmentVariable': 422,
  // At which path?
  'platform.notebooks.v1.NotebookFolderService/GetFolderFile': 422,
  'platform.notebooks.v1.NotebookFolderService/SaveFolderFile': 422,
  'platform.notebooks.v1.NotebookFolderService/DeleteFolderFile': 422,
  'platform.pipelines.v1.DatasetFileService/UploadDatasetFile': 403,
  'platform.pipelines.v1.DatasetFileService/DownloadDatasetFile': 403,
  // No SQL.
  'platform.pipelines.v1.DatasetService/QueryDatasets': 422,
  // Which versions?
  'platform.pipelines.v1.DatasetService/CompareDataDictionaries': 422,
  // Steps that read no dataset there is, in a time zone that nobody knows.
  'platform.pipelines.v1.PipelineService/CreatePipeline': 422,
  'platform.pipelines.v1.PipelineService/TrySteps': 422,
  // No recording.
  'platform.content.v1.TranscriptionService/Transcribe': 415,
  // Nothing is said, and nobody knows what the file is for; to clients of OpenAI that is 400.
  'platform.content.v1.OpenAiService/CreateChatCompletion': 400,
  'platform.content.v1.OpenAiService/StreamChatCompletion': 400,
  'platform.content.v1.OpenAiService/CreateAudioTranscription': 400,
  'platform.content.v1.OpenAiFileService/CreateFile': 400,
};

interface Case {
  readonly operation: Operation;
  readonly credential: Credential;
  readonly expected: Expected;
}

/** Of operations that demand the same each credential once, and of each operation whatever can become of a request of it. */
function representative(all: readonly Case[]): Case[] {
  const seen = new Set<string>();
  const isNew = (...facts: readonly unknown[]): boolean => {
    const key = JSON.stringify(facts);
    const is = !seen.has(key);
    seen.add(key);
    return is;
  };
  return all.filter(({ operation: { id, access, http }, credential, expected }) => {
    const isOfArea = 'scope' in credential && credential.scope.startsWith(`${access.area ?? ''}:`);
    const ofDemands = isNew(access.credentials, access.level, http?.verb === 'GET', nameOf(credential), isOfArea);
    const ofOutcomes = isNew(id, expected);
    return ofDemands || ofOutcomes;
  });
}

/** In the long form with each credential; in the usual one with those that are representative. */
describe('every operation with every level and kind of credential', () => {
  let organisation: Organisation;
  let stranger: Person;
  let document: DescribedAnswers;
  let misfitOf: ReturnType<typeof bodyChecks>;
  /** Answers that the document does not know, with the operation that gave them. */
  const surprising = new Set<string>();
  const members = new Map<Level, Person>();
  const keys = new Map<string, string>();

  beforeAll(async () => {
    const owner = await newPerson(platform, 'Owner');
    organisation = await newOrganisation(owner);
    // The sample of a purchase is one credit, which is less than can be paid.
    expectOk(await owner.call('POST', '/credits/purchases/', { body: { credits: 42 } }));
    members.set('OWNER', owner);
    for (const level of LEVELS.slice(0, -1)) {
      const person = await newPerson(platform, level);
      await join(owner, organisation, person, level);
      members.set(level, person);
    }
    stranger = await newPerson(platform, 'Stranger');
    for (const credential of credentials) {
      if (!('scope' in credential) || keys.has(`${credential.creator} ${credential.scope}`)) continue;
      const creator = members.get(credential.creator) as Person;
      const body = { name: 'Permissions', scopes: [credential.scope] };
      const created = expectOk(
        await creator.call<CreatedApiKey>('POST', '/api-keys/', { organisationId: organisation.id, body }),
      );
      keys.set(`${credential.creator} ${credential.scope}`, created.api_key);
    }
    document = expectOk(await send<DescribedAnswers>(platform.url, 'GET', '/openapi.json'));
    misfitOf = bodyChecks(document);
  });

  const presenting = (credential: Credential): RequestParts => {
    switch (credential.kind) {
      case 'nothing':
        return {};
      case 'token without organisation':
        return { token: stranger.token };
      case 'token':
        return { token: (members.get(credential.level) as Person).token, organisationId: organisation.id };
      case 'API key':
        return { apiKey: keys.get(`${credential.creator} ${credential.scope}`) as string };
      case 'Api-key header':
        return { headers: { 'api-key': keys.get(`${credential.creator} ${credential.scope}`) as string } };
    }
  };

  /** Ids are unknown and bodies valid: who is allowed gets as far as 200, 201, 404 or 409, or 503 without a service. */
  const attempt = async (operation: Operation, credential: Credential): Promise<number> => {
    const { verb, path } = operation.http as NonNullable<Operation['http']>;
    const [who, what] = [presenting(credential), sampleRequest(document, verb, path)];
    const headers = { ...what.headers, ...who.headers };
    const answer = await send(platform.url, verb, samplePath(path), { ...what, ...who, headers });
    const surprise = undocumented(document, { verb, path }, answer);
    if (surprise !== undefined) surprising.add(`${operation.id}: ${surprise}`);
    const misfit = misfitOf({ verb, path }, answer);
    if (misfit !== undefined) surprising.add(`${operation.id}: ${misfit}`);
    return answer.status;
  };

  const everyCase = operations.flatMap((operation) =>
    credentials.map((credential) => ({ operation, credential, expected: expectedAccess(operation, credential) })),
  );
  const cases = repetitions({ usual: 0, long: 1 }) === 1 ? everyCase : representative(everyCase);
  const describeCase = ({ operation, credential }: (typeof cases)[number]) =>
    `${operation.id} with ${nameOf(credential)}`;

  it.each([401, 403])(
    'answers %i wherever the table says so',
    async (status) => {
      const refused = cases.filter(({ expected }) => expected === status);
      const wrong: string[] = [];
      for (const one of refused) {
        const actual = await attempt(one.operation, one.credential);
        if (actual !== status) wrong.push(`${describeCase(one)}: ${actual}`);
      }
      expect(wrong).toEqual([]);
      expect(refused.length).toBeGreaterThan(operations.length);
    },
    120_000,
  );

  it('lets everybody else through to the operation', async () => {
    const allowed = cases
      .filter(({ expected }) => expected === 'allowed')
      .sort((a, b) => lastness(a.operation) - lastness(b.operation));
    const wrong: string[] = [];
    for (const one of allowed) {
      const actual = await attempt(one.operation, one.credential);
      if (![200, 201, 204, 404, 409, 503, saysOfSamples[one.operation.id]].includes(actual))
        wrong.push(`${describeCase(one)}: ${actual}`);
    }
    expect(wrong).toEqual([]);
    expect(allowed.length).toBeGreaterThan(operations.length);
  });

  it('has answered nothing but what the document says of the operation: statuses, codes and bodies', () => {
    expect([...surprising].sort()).toEqual([]);
  });
});
