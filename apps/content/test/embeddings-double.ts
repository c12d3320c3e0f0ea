import { openAiDouble, type OpenAiDouble } from './openai-double.ts';

/** As many numbers as a vector has. */
const SIZE = 32;

/** Answers for each text a vector that goes by its words, at once and without a model that every process has to load. */
export const embeddingsDouble = (): Promise<OpenAiDouble> =>
  openAiDouble(({ body }) => {
    const { input } = JSON.parse(body.toString()) as { input: readonly string[] };
    return {
      body: { object: 'list', model: 'm', data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) },
    };
  });

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: SIZE }, () => 0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 0;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
    vector[hash % SIZE] = (vector[hash % SIZE] ?? 0) + 1;
  }
  return vector;
}
