import type { LocalModelOptions } from '../../model-runtime/models/local-models.ts';
import { serveTasks } from '../../model-runtime/models/serve-tasks.ts';
import { openCrossEncoder } from '../../model-runtime/models/transformers.ts';
import type { RerankTask } from './local-reranker.ts';

serveTasks(async (options: LocalModelOptions) => {
  const score = await openCrossEncoder(options);
  return async ({ question, texts }: RerankTask) => {
    const logits = await score(question, texts);
    return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
  };
});
