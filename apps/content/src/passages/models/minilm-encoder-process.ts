import type { LocalModelOptions } from '../../model-runtime/models/local-models.ts';
import { serveTasks } from '../../model-runtime/models/serve-tasks.ts';
import { openPipeline } from '../../model-runtime/models/transformers.ts';

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}
type Encode = (texts: readonly string[], options: { pooling: 'mean'; normalize: boolean }) => Promise<Tensor>;

serveTasks(async (options: LocalModelOptions) => {
  const encode = await openPipeline<Encode>('feature-extraction', options);
  return async (texts: readonly string[]) => {
    const { dims, data } = await encode(texts, { pooling: 'mean', normalize: true });
    const [, dimensions = 0] = dims;
    return texts.map((_text, at) => data.slice(at * dimensions, (at + 1) * dimensions));
  };
});
