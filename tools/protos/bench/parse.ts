/**
 * `node tools/protos/bench/parse.ts`: the CPU of a request from path, query and JSON body to protobuf bytes, part by part, beside what no
 * reader of JSON can do without. Rounds are interleaved; medians are printed.
 */
import { compileRoutes } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';
import { randomBytes } from 'node:crypto';

const contract = loadPlatformContract();
const { match } = compileRoutes(contract, { cursorKey: randomBytes(32).toString('base64url') });
const id = '0199c0de-0000-7000-8000-000000000000';
const headers = { 'content-type': 'application/json' };
const markdown = 'Sales of the northern region rose by a tenth. '.repeat(90);

const requests: readonly (readonly [string, string, object?])[] = [
  ['GET', `/client-groups/${id}/`],
  ['GET', `/messages/?conversation_id=${id}&limit=50&is_finished=true`],
  ['POST', '/client-groups/', { name: 'Northern region', description: 'Clients of the three northern offices' }],
  [
    'POST',
    '/agents/submit-to-assistant/',
    { assistant_name: 'general', new_message: 'How many days?', conversation_id: id },
  ],
  ['POST', '/reports/', { title: 'Quarter', markdown }],
];

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const ways = requests.flatMap(([method, target, body]): [string, () => unknown][] => {
  const [path = '', rawQuery = ''] = target.split('?');
  const found = match(method, path, rawQuery, false);
  if (found.kind !== 'route') throw new Error(`there is no ${method} ${path}`);
  const { route, pathParameters } = found;
  const bytes = body && Buffer.from(JSON.stringify(body));
  const parts = { pathParameters, rawQuery, headers, body: bytes };
  if (!route.parse(parts).ok) throw new Error(`${method} ${target} is refused`);
  const whole: [string, () => unknown][] = [
    [`${method} ${path}: all of it`, () => route.parse(parts)],
    [`${method} ${path}: its route, before that`, () => match(method, path, rawQuery, false)],
  ];
  if (!bytes) return whole;
  const text = utf8.decode(bytes);
  return [
    ...whole,
    [`${method} ${path}: text of its bytes`, () => utf8.decode(bytes)],
    [`${method} ${path}: JSON.parse`, () => JSON.parse(text) as unknown],
  ];
});

const rounds = 9;
const repeats = 3_000;
const times = new Map(ways.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of ways) {
    const start = process.cpuUsage();
    for (let count = 0; count < repeats; count++) run();
    times.get(name)?.push((process.cpuUsage(start).user / repeats) * 1000);
  }
}
for (const [name, list] of times) {
  const median = list.sort((a, b) => a - b)[rounds >> 1] ?? 0;
  process.stdout.write(`${median.toFixed(0).padStart(8)} ns CPU  ${name}\n`);
}
