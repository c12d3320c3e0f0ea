import { parseArgs } from 'node:util';
import { benchContent } from './content/bench-content.ts';
import { benchCredits } from './credits/bench-credits.ts';
import { benchGateway } from './gateway.ts';
import { benchNotebooks } from './notebooks/bench-notebooks.ts';
import { benchPipelines, PARTS, type Part } from './pipelines/bench-pipelines.ts';
import { benchRetrieval } from './retrieval/bench-retrieval.ts';

const USAGE = `npm run bench -- gateway [--service identity|stub] [--rounds 5] [--seconds 2] [--connections 64]

Compares the platform's gateway with a hand-written one, see docs/benchmarks.md.
  --service stub   puts a stand-in with ready-made answers in place of identity: less noise

npm run bench -- credits [--rounds 5] [--seconds 2] [--connections 64] [--profiles <folder>]

Compares reservations of credits, on one account and over 1,000, with the same statement run directly through pg.
  --profiles leaves a CPU profile of every process in a folder, which takes time itself

npm run bench -- content [--messages 100000] [--rounds 5] [--seconds 2] [--connections 64] [--profiles <folder>]

Compares reads and turns of the content service with the same through MongoDB's driver, and measures uploads.

npm run bench -- notebooks [--rounds 5] [--profiles <folder>]

Compares kernels through the platform with a direct connection to them, and measures how quickly they start.

npm run bench -- pipelines [--only orchestration|group-by|steps|pages] [--rounds 5] [--seconds 2] [--profiles <folder>]

Compares a query over 5 million rows with DuckDB called directly, and lists of runs with pg; measures how many runs of
empty steps the pipelines service carries out, and how soon one is over, with and without the processes of the steps.
  --only measures this part alone; it may be given several times

npm run bench -- retrieval

Counts how often a search finds what answers a question, by words, by every encoder that is there (MODELS_DIR,
EMBEDDINGS_BASE_URL), and by both.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string', default: 'identity' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    messages: { type: 'string', default: '100000' },
    profiles: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const { service, profiles, only } = values;
const parts = only.length === 0 ? PARTS : PARTS.filter((part) => only.includes(part));
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const messages = Number(values.messages);

const valid =
  positionals.length === 1 &&
  ['gateway', 'credits', 'content', 'notebooks', 'pipelines', 'retrieval'].includes(positionals[0] ?? '') &&
  (service === 'identity' || service === 'stub') &&
  only.every((part) => PARTS.includes(part as Part)) &&
  [rounds, seconds, connections, messages].every((value) => Number.isInteger(value) && value > 0);

if (valid) {
  const print = (line: string): void => console.log(line);
  if (positionals[0] === 'credits') await benchCredits({ rounds, seconds, connections, profiles }, print);
  else if (positionals[0] === 'content')
    await benchContent({ rounds, seconds, connections, messages, profiles }, print);
  else if (positionals[0] === 'notebooks') await benchNotebooks({ rounds, profiles }, print);
  else if (positionals[0] === 'pipelines') await benchPipelines({ parts, rounds, seconds, profiles }, print);
  else if (positionals[0] === 'retrieval') await benchRetrieval(process.env, print);
  else await benchGateway({ service, rounds, seconds, connections }, print);
  // The throwaway servers end with this process.
  process.exit(0);
} else {
  console.error(USAGE);
  process.exit(2);
}
