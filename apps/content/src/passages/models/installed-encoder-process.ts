import { serveTasks } from '../../model-runtime/models/serve-tasks.ts';
import { openPipeline } from '../../model-runtime/models/transformers.ts';
import type { InstalledEncoderOptions } from './installed-encoders.ts';

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}
type Encode = (
  texts: readonly string[],
  options: Pick<InstalledEncoderOptions, 'pooling'> & { normalize: boolean },
) => Promise<Tensor>;

serveTasks(async ({ pooling, ...installed }: InstalledEncoderOptions) => {
  const encode = await openPipeline<Encode>('feature-extraction', installed);
  return async (texts: readonly string[]) => {
    const { dims, data } = await encode(texts, { pooling, normalize: true });
    const [, dimensions = 0] = dims;
    return texts.map((_text, at) => data.slice(at * dimensions, (at + 1) * dimensions));
  };
});
