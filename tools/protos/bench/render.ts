/**
 * `node tools/protos/bench/render.ts`: how long an answer takes from protobuf bytes to JSON bytes,
 * beside the ways it could be done otherwise. Rounds are interleaved; medians are printed.
 */
import { cursorSeal, rendererCompiler } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';

const contract = loadPlatformContract();
const operation = contract.operation('platform.identity.v1.ClientGroupService/GetClientGroup');
const rpc = contract.serviceDefinition(operation.service)[operation.method];
if (!rpc) throw new Error(`no definition of ${operation.id}`);

const id = '0199c0de-0000-7000-8000-000000000000';
const member = (name: string) => ({
  id,
  name,
  email: `${name}@example.com`,
  status: 'active',
  folderAccess: [],
  fileAccess: [],
});
const bytes = rpc.responseSerialize({
  id,
  name: 'Clients of the northern region',
  description: 'Everybody who may see the reports of the northern region.',
  archived: false,
  isDefault: true,
  members: ['ada', 'grace', 'barbara', 'margaret'].map(member),
  workspaces: [{ id, name: 'Reports', description: 'Quarterly', accessLevel: 'VIEW' }],
  policy: { periodDays: 30, aiCreditLimit: '100000', hardStop: true },
  usage: { requests: 1234, ai_credits: 56, plan: 'TEAM', infrastructure_credits: null },
  assetAccess: [{ entry: { asset: id, level: 'VIEW' } }],
  folderAccess: [],
  fileAccess: [],
});

const render = rendererCompiler(cursorSeal(['bench']))(operation);
const decoded: unknown = rpc.responseDeserialize(bytes);
const ways: Record<string, () => unknown> = {
  'bytes to JSON, as text of bytes (ours)': () => render(bytes).body,
  'decode, JSON.stringify, encode': () => Buffer.from(JSON.stringify(rpc.responseDeserialize(bytes))),
  'JSON.stringify of the decoded object': () => JSON.stringify(decoded),
};

const rounds = 15;
const repeats = 20_000;
const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const start = process.cpuUsage();
    for (let count = 0; count < repeats; count++) run();
    times.get(name)?.push(process.cpuUsage(start).user / repeats);
  }
}
process.stdout.write(`${bytes.length} bytes of protobuf, ${render(bytes).body?.length} bytes of JSON\n`);
for (const [name, list] of times) {
  const median = list.sort((a, b) => a - b)[rounds >> 1] ?? 0;
  process.stdout.write(`${median.toFixed(2).padStart(8)} µs CPU  ${name}\n`);
}
