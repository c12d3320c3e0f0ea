import { estimatedTokens, type LanguageModel, type TokenPrice } from '../domain/language-model.ts';

const NOTICE = 'No language model is set up here, so this answer consists of quotes only.';
const NOTHING = 'No language model is set up here, and nothing was found that fits what was asked.';

/** Searches for what was asked by the tool that the assistant has for it, and answers with what was found, word for word. */
export const retrievalAssistant = (searchTool: string, price: TokenPrice): LanguageModel => ({
  name: 'retrieval',
  quotesOnly: true,
  seesImages: () => false,
  termsOf: () => ({ maxTokens: 8_000, maxWritten: 8_000, contextTokens: undefined, price }),
  async *answer({ messages, tools }, signal) {
    const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const search = tools.find(({ name }) => name === searchTool);
    let found = '';
    if (search && asked.trim() !== '') {
      yield { kind: 'tool_call', tool: searchTool };
      found = await search.run({ query: asked }, signal);
      yield { kind: 'tool_result', tool: searchTool, isError: false };
    }
    const text = found === '' ? NOTHING : `${NOTICE}\n\n${found}`;
    yield { kind: 'usage', usage: { inputTokens: estimatedTokens(asked), outputTokens: estimatedTokens(text) } };
    yield { kind: 'text', text };
  },
});
