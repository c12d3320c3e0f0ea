import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';

/** What we use of `@huggingface/transformers`, which is installed on demand and not known to the compiler. */
interface Transformers {
  readonly env: { localModelPath: string; allowRemoteModels: boolean; allowLocalModels: boolean };
  readonly pipeline: (task: string, model: string, options: object) => Promise<unknown>;
}

/** A model with all that belongs to it, on half of the processors. Nothing is fetched. */
export async function openPipeline<Run>(
  task: string,
  { library, directory, model }: { readonly library: string; readonly directory: string; readonly model: string },
): Promise<Run> {
  const { env, pipeline } = (await import(pathToFileURL(library).href)) as Transformers;
  env.localModelPath = directory;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  const threads = Math.max(1, Math.floor(availableParallelism() / 2));
  return (await pipeline(task, model, {
    dtype: 'q8',
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
  })) as Run;
}
