import type { AvailableAssistants } from '../../assistants/app/assistants.ts';
import { modelUnknown } from '../domain/errors.ts';
import type { ChatCompletionUseCases, Caller } from './chat-completions.ts';

/** An assistant, an encoder or a recogniser as clients of OpenAI's interface see it. */
export interface Model {
  readonly id: string;
  readonly name: string;
  /** Null: everybody has it. */
  readonly createdAt: Date | null;
}

export interface ModelPorts {
  readonly listAvailable: (by: Caller) => Promise<AvailableAssistants>;
  readonly findModel: ChatCompletionUseCases['findModel'];
  /** What is no assistant. */
  readonly others: readonly Model[];
}

export type ModelUseCases = ReturnType<typeof modelUseCases>;

export function modelUseCases({ listAvailable, findModel, others }: ModelPorts) {
  /** Assistants that everybody has first, what is none last. */
  async function listModels(by: Caller): Promise<readonly Model[]> {
    const available = await listAvailable(by);
    return [
      ...available.default.map(({ id, name }) => ({ id, name, createdAt: null })),
      ...available.custom.map(({ id, name, createdAt }) => ({ id, name, createdAt })),
      ...others,
    ];
  }

  return {
    listModels,

    /** By whatever an answer can be asked of. NOT_FOUND: nobody is called so. */
    async getModel(by: Caller, name: string): Promise<Model> {
      const other = others.find(({ id }) => id === name);
      if (other) return other;
      const { id } = await findModel(by, name);
      const found = (await listModels(by)).find((model) => model.id === id);
      if (!found) throw modelUnknown();
      return found;
    },
  };
}
