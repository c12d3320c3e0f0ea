import type { ConfiguredModel, LanguageModels } from '../models/language-models.ts';

export type ModelUnderTest = Partial<ConfiguredModel>;

/** Models as a deployment has them, of which a test says what it is about. */
export function modelsUnderTest(given: readonly (ModelUnderTest & { readonly name: string })[]): LanguageModels {
  const models = given.map((model): ConfiguredModel => ({
    ...{ provider: 'openai-compatible', model: model.name, baseUrl: 'http://nowhere.example/v1', apiKey: undefined },
    ...{ seesImages: false, contextTokens: undefined, maxOutputTokens: 4_000, maxTokens: 60_000 },
    ...{ price: { input: 0n, output: 0n }, firstTokenMs: 60_000, silenceMs: 60_000, answerMs: 300_000 },
    isOffered: true,
    ...model,
  }));
  return {
    models,
    names: models.map(({ name }) => name),
    find: (wanted) => models.find(({ name }) => name === wanted) ?? models[0],
  };
}
