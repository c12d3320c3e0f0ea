import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';

interface Tensor {
  readonly data: ArrayLike<number>;
}
type Tokenise = (
  texts: readonly string[],
  options: { readonly text_pair: readonly string[]; readonly padding: boolean; readonly truncation: boolean },
) => object;
type Classify = (inputs: object) => Promise<{ readonly logits: Tensor }>;

/** What we use of `@huggingface/transformers`, which is installed on demand and not known to the compiler. */
interface Transformers {
  readonly env: { localModelPath: string; allowRemoteModels: boolean; allowLocalModels: boolean };
  readonly pipeline: (task: string, model: string, options: object) => Promise<unknown>;
  readonly AutoTokenizer: { readonly from_pretrained: (model: string) => Promise<Tokenise> };
  readonly AutoModelForSequenceClassification: {
    readonly from_pretrained: (model: string, options: object) => Promise<Classify>;
  };
}

/** Where a model is, and what runs it. */
interface InstalledModel {
  readonly library: string;
  readonly directory: string;
  readonly model: string;
}

async function openLibrary({ library, directory }: InstalledModel): Promise<Transformers> {
  const opened = (await import(pathToFileURL(library).href)) as Transformers;
  opened.env.localModelPath = directory;
  opened.env.allowLocalModels = true;
  opened.env.allowRemoteModels = false;
  return opened;
}

const onHalfOfTheProcessors = () => ({
  dtype: 'q8',
  session_options: {
    intraOpNumThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
    interOpNumThreads: 1,
  },
});

/** A model with all that belongs to it, on half of the processors. Nothing is fetched. */
export async function openPipeline<Run>(task: string, installed: InstalledModel): Promise<Run> {
  const { pipeline } = await openLibrary(installed);
  return (await pipeline(task, installed.model, onHalfOfTheProcessors())) as Run;
}

/** A model that reads a question together with each text; answers a logit for each. Nothing is fetched. */
export async function openCrossEncoder(
  installed: InstalledModel,
): Promise<(question: string, texts: readonly string[]) => Promise<readonly number[]>> {
  const { AutoTokenizer, AutoModelForSequenceClassification } = await openLibrary(installed);
  const [tokenise, classify] = await Promise.all([
    AutoTokenizer.from_pretrained(installed.model),
    AutoModelForSequenceClassification.from_pretrained(installed.model, onHalfOfTheProcessors()),
  ]);
  return async (question, texts) => {
    const questions = texts.map(() => question);
    const { logits } = await classify(tokenise(questions, { text_pair: texts, padding: true, truncation: true }));
    return Array.from(logits.data);
  };
}
