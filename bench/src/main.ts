import { parseArgs } from 'node:util';
import { benchCredits } from './credits/bench-credits.ts';
import { benchGateway } from './gateway.ts';

const USAGE = `npm run bench -- gateway [--service identity|stub] [--rounds 5] [--seconds 2] [--connections 64]

Compares the platform's gateway with a hand-written one, see docs/benchmarks.md.
  --service stub   puts a stand-in with ready-made answers in place of identity: less noise

npm run bench -- credits [--rounds 5] [--seconds 2] [--connections 64] [--profiles <folder>]

Compares reservations of credits, on one account and over 1,000, with the same statement run directly through pg.
  --profiles leaves a CPU profile of every process in a folder, which takes time itself`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string', default: 'identity' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    profiles: { type: 'string' },
  },
});
const { service, profiles } = values;
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const valid =
  positionals.length === 1 &&
  (positionals[0] === 'gateway' || positionals[0] === 'credits') &&
  (service === 'identity' || service === 'stub') &&
  [rounds, seconds, connections].every((value) => Number.isInteger(value) && value > 0);

if (valid) {
  const print = (line: string): void => console.log(line);
  if (positionals[0] === 'credits') await benchCredits({ rounds, seconds, connections, profiles }, print);
  else await benchGateway({ service, rounds, seconds, connections }, print);
  // The throwaway servers end with this process.
  process.exit(0);
} else {
  console.error(USAGE);
  process.exit(2);
}
