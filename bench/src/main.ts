/** `npm run bench -- NAME`. What is measured is loaded when it is chosen, so that `--help` answers at once. */
import { command, runOneOf, WrongUsage } from '@platform-backend/command-line';

/** By the word that chooses it. */
const usages = {
  gateway: `npm run bench -- gateway [--service identity|stub] [--only SUBJECT] [--rounds 5] [--seconds 2] [--connections 64] [--profiles FOLDER]

Compares the platform's gateway with a hand-written one, by requests, events of a stream, round trips over a WebSocket and uploads; see
docs/benchmarks.md.
  --service stub   puts a stand-in with ready-made answers in place of identity: less noise
  --only           measures this alone, as get, small_get, post, event, round_trip or upload; it may be given several times
  --profiles leaves a CPU profile of both servers in a folder, which takes time itself`,
  streams: `npm run bench -- streams [--rounds 5] [--seconds 2] [--connections 64] [--profiles FOLDER]

Compares streams over the channel of the gateway's own with grpc-js, by the CPU of a stream and of a message.
  --profiles leaves a CPU profile of both callers in a folder, which takes time itself`,
  flood: `npm run bench -- flood [--rounds 5] [--seconds 2] [--connections 64]

Compares how long one person waits for answers of the gateway alone and while another sends as much as it takes.`,
  credits: `npm run bench -- credits [--rounds 5] [--seconds 2] [--connections 64] [--profiles FOLDER]

Compares reservations of credits, on one account and over 1,000, with the same statement run directly through pg.
  --profiles leaves a CPU profile of every process in a folder, which takes time itself`,
  identity: `npm run bench -- identity [--rounds 5] [--seconds 2] [--connections 64] [--profiles FOLDER]

Compares reading a client group, and making one, with the same statements run directly through pg.
  --profiles leaves a CPU profile of every process in a folder, which takes time itself`,
  debits: `npm run bench -- debits [--rounds 5] [--seconds 2] [--connections 256] [--profiles FOLDER]

Compares debits that billing hears of and books, on one account and over 1,000, with the same statement run directly
through pg, one debit after the other on each connection.
  --profiles leaves a CPU profile of every process in a folder, which takes time itself`,
  content: `npm run bench -- content [--messages 100000] [--rounds 5] [--seconds 2] [--connections 64] [--profiles FOLDER]

Compares reads and turns of the content service with the same through MongoDB's driver, and measures uploads.`,
  notebooks: `npm run bench -- notebooks [--rounds 5] [--profiles FOLDER]

Compares kernels through the platform with a direct connection to them, and measures how quickly they start.`,
  pipelines: `npm run bench -- pipelines [--only orchestration|group-by|chain|steps|python-step|pages] [--rounds 5] [--seconds 2] [--profiles FOLDER]

Compares a query over 5 million rows and nine steps over 3 million with DuckDB called directly, and lists of runs with pg; measures how many runs of
empty steps the pipelines service carries out, and how soon one is over, with and without the processes of the steps, and how soon a PYTHON step that prints is over.
  --only measures this part alone; it may be given several times`,
  soak: `npm run bench -- soak [--organisations 10] [--people 5] [--days 5] [--rest 30] [--without-notebooks]

Has ordinary organisations live some days on the platform that npm start starts, in minutes, and says what that costs each of
its parts, what it leaves behind, and what grows from day to day; see docs/capacity.md.
  --rest                seconds that it is left alone before its rest is measured, and again while it is; half of them between days
  --without-notebooks   where this machine has no kernels`,
  rest: `npm run bench -- rest [--settle 90] [--rounds 3] [--seconds 60]

Leaves the platform that npm start starts alone, and says what each of its processes takes: CPU time and memory.
  --settle   seconds before it is measured: work rests a minute after something has happened`,
  retrieval: `npm run bench -- retrieval [--among 100000]

Counts how often a search finds what answers a question, by words, by every encoder that is there (MODELS_DIR,
EMBEDDINGS_BASE_URL), and by both.
  --among   so many made passages, among which the documents are that held-out questions are about: also how long a search takes
            and how an index is opened, with the best of these encoders`,
};

const rounds = { type: 'string', default: '5' } as const;
const seconds = { type: 'string', default: '2' } as const;
const connections = { type: 'string', default: '64' } as const;
const profiles = { type: 'string' } as const;
const only = { type: 'string', multiple: true, default: [] as string[] } as const;

const print = (line: string): void => console.log(line);

/** Options that are numbers, as numbers. */
function counts<Name extends string>(values: Readonly<Record<Name, string>>): Record<Name, number> {
  const read = ([name, text]: [string, unknown]): [string, number] => {
    if (!/^[1-9]\d{0,8}$/.test(String(text))) {
      throw new WrongUsage(`--${name} must be a whole number above 0, not "${String(text)}".`);
    }
    return [name, Number(text)];
  };
  return Object.fromEntries(Object.entries(values).map(read)) as Record<Name, number>;
}

/** What is measured of all parts: those that were named, or everything. */
function partsOf<Part extends string>(parts: readonly Part[], named: readonly string[]): readonly Part[] {
  const unknown = named.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) throw new WrongUsage(`--only is one of ${parts.join(', ')}, not "${unknown}".`);
  return named.length === 0 ? parts : parts.filter((part) => named.includes(part));
}

const about = (word: keyof typeof usages) => ({ name: `npm run bench -- ${word}`, usage: usages[word] });

await runOneOf({
  name: 'npm run bench --',
  usage: Object.values(usages).join('\n\n'),
  commands: {
    gateway: command({
      ...about('gateway'),
      options: { service: { type: 'string', default: 'identity' }, only, rounds, seconds, connections, profiles },
      async run({ values: { service, only: chosen, profiles: folder, ...numbers } }) {
        if (service !== 'identity' && service !== 'stub') {
          throw new WrongUsage(`--service must be identity or stub, not "${service}".`);
        }
        const settings = { service, profiles: folder, ...counts(numbers) } as const;
        const { benchGateway, SUBJECTS } = await import('./gateway/bench-gateway.ts');
        await benchGateway({ subjects: partsOf(SUBJECTS, chosen), ...settings }, print);
      },
    }),
    streams: command({
      ...about('streams'),
      options: { rounds, seconds, connections, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchStreams } = await import('./streams/bench-streams.ts');
        await benchStreams(settings, print);
      },
    }),
    flood: command({
      ...about('flood'),
      options: { rounds, seconds, connections },
      async run({ values }) {
        const { benchFlood } = await import('./flood.ts');
        await benchFlood(counts(values), print);
      },
    }),
    credits: command({
      ...about('credits'),
      options: { rounds, seconds, connections, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchCredits } = await import('./credits/bench-credits.ts');
        await benchCredits(settings, print);
      },
    }),
    identity: command({
      ...about('identity'),
      options: { rounds, seconds, connections, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchIdentity } = await import('./identity/bench-identity.ts');
        await benchIdentity(settings, print);
      },
    }),
    debits: command({
      ...about('debits'),
      options: { rounds, seconds, connections: { type: 'string', default: '256' }, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchDebits } = await import('./debits/bench-debits.ts');
        await benchDebits(settings, print);
      },
    }),
    content: command({
      ...about('content'),
      options: { messages: { type: 'string', default: '100000' }, rounds, seconds, connections, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchContent } = await import('./content/bench-content.ts');
        await benchContent(settings, print);
      },
    }),
    notebooks: command({
      ...about('notebooks'),
      options: { rounds, profiles },
      async run({ values: { profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchNotebooks } = await import('./notebooks/bench-notebooks.ts');
        await benchNotebooks(settings, print);
      },
    }),
    pipelines: command({
      ...about('pipelines'),
      options: { only, rounds, seconds, profiles },
      async run({ values: { only: chosen, profiles: folder, ...numbers } }) {
        const settings = { profiles: folder, ...counts(numbers) };
        const { benchPipelines, PARTS } = await import('./pipelines/bench-pipelines.ts');
        await benchPipelines({ parts: partsOf(PARTS, chosen), ...settings }, print);
      },
    }),
    soak: command({
      ...about('soak'),
      options: {
        organisations: { type: 'string', default: '10' },
        people: { type: 'string', default: '5' },
        days: { type: 'string', default: '5' },
        rest: { type: 'string', default: '30' },
        'without-notebooks': { type: 'boolean', default: false },
      },
      async run({ values: { 'without-notebooks': hasNone, ...numbers } }) {
        const settings = { hasNotebooks: !hasNone, ...counts(numbers) };
        const { benchSoak } = await import('./soak/bench-soak.ts');
        await benchSoak(settings, print);
      },
    }),
    rest: command({
      ...about('rest'),
      options: {
        settle: { type: 'string', default: '90' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '60' },
      },
      async run({ values }) {
        const { benchRest } = await import('./soak/bench-rest.ts');
        await benchRest(counts(values), print);
      },
    }),
    retrieval: command({
      ...about('retrieval'),
      options: { among: { type: 'string' } },
      async run({ values: { among } }) {
        const { evaluateSearch } = await import('@platform-backend/content/search-evaluation');
        await evaluateSearch(process.env, print, among === undefined ? {} : counts({ among }));
      },
    }),
  },
});
// The throwaway servers end with this process.
process.exit();
