import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@platform-backend/core';
import { languageModels } from './language-models.ts';

const one = { LLM_MODEL: 'gpt', LLM_OTHER_MODELS: '', LLM_IMAGE_MODELS: '', LLM_MICROS_PER_1000_TOKENS: 2_000 };
const none = {
  ...one,
  LLM_MODELS: undefined,
  LLM_BASE_URL: undefined,
  LLM_API_KEY: undefined,
  LLM_TITLE_MODEL: undefined,
};

const claude = {
  ...{ name: 'claude', provider: 'anthropic', model: 'claude-sonnet-4-5', apiKeyEnv: 'ANTHROPIC_API_KEY' },
  ...{ contextTokens: 200_000, maxOutputTokens: 8_000, seesImages: true, firstTokenSeconds: 20 },
  ...{ inputCreditsPerMillionTokens: 0.15, outputCreditsPerMillionTokens: 15 },
};
const own = {
  ...{ provider: 'openai-compatible', model: 'qwen', baseUrl: 'http://models.example/v1' },
  ...{ inputCreditsPerMillionTokens: 0, outputCreditsPerMillionTokens: 0 },
};
const env = { ANTHROPIC_API_KEY: 'sk-ant' };
const listed = (...models: readonly object[]) => ({ ...none, LLM_MODELS: JSON.stringify(models) });

function problemsOf(...entries: readonly object[]): readonly string[] {
  try {
    languageModels(listed(...entries), env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the language models of a deployment', () => {
  it('are those of one server at one price, as before there were several', () => {
    const settings = {
      ...none,
      LLM_BASE_URL: 'https://a.example/v1',
      LLM_OTHER_MODELS: 'large, small',
      LLM_IMAGE_MODELS: 'large',
    };
    const { models, names, find } = languageModels({ ...settings, LLM_TITLE_MODEL: 'nano' });
    expect(names).toEqual(['gpt', 'large', 'small']);
    expect(models.map(({ name }) => name)).toEqual(['gpt', 'large', 'small', 'nano']);
    expect(find('large')).toMatchObject({ provider: 'openai-compatible', seesImages: true, maxTokens: 60_000 });
    expect(find('nano')).toMatchObject({ price: { input: 2_000_000n, output: 2_000_000n }, isOffered: false });
  });

  it('are those of a list, each with its provider, key, price and limits', () => {
    const { models, names } = languageModels(listed(claude, own), env);
    expect(names).toEqual(['claude', 'qwen']);
    expect(models[0]).toMatchObject({
      ...{
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        baseUrl: 'https://api.anthropic.com/v1',
        apiKey: 'sk-ant',
      },
      ...{ contextTokens: 200_000, maxOutputTokens: 8_000, seesImages: true, firstTokenMs: 20_000, silenceMs: 60_000 },
      price: { input: 150_000n, output: 15_000_000n },
    });
    expect(models[1]).toMatchObject({ apiKey: undefined, baseUrl: 'http://models.example/v1' });
  });

  it('have a usual one: what LLM_MODEL names, or the first; it answers for what is not offered any more', () => {
    expect(languageModels(listed(claude, own), env).find('removed')?.name).toBe('claude');
    expect(languageModels({ ...listed(claude, own), LLM_MODEL: 'qwen' }, env).models[0]?.name).toBe('qwen');
  });

  it('may be none, and the names that assistants are given are those that there will be', () => {
    expect(languageModels(none)).toMatchObject({ models: [], names: ['gpt'] });
  });

  it('are told all that is wrong with them at once, and no key', () => {
    expect(
      problemsOf(
        { ...claude, apiKeyEnv: 'MISSING', provider: 'unknown', context: 1 },
        { ...own, name: '', maxOutputTokens: 0.5, outputCreditsPerMillionTokens: -1, baseUrl: 'ftp://x' },
      ),
    ).toEqual([
      'LLM_MODELS[0].context is not known.',
      'LLM_MODELS[0].provider must be one of openai-compatible, anthropic.',
      'LLM_MODELS[0].apiKeyEnv is MISSING, which is not set.',
      'LLM_MODELS[1].baseUrl must be a URL that starts with https:// or http://.',
      'LLM_MODELS[1].maxOutputTokens must be a whole number from 1 to 10000000.',
      'LLM_MODELS[1].outputCreditsPerMillionTokens must be a number from 0 to 1000000.',
      'LLM_MODELS[1].name must be a text of up to 200 characters.',
    ]);
    expect(problemsOf(own, own)).toEqual([
      'LLM_MODELS has qwen twice, or LLM_BASE_URL has it as well: names tell models apart.',
    ]);
    expect(problemsOf({ ...own, contextTokens: 4_000 })).toHaveLength(1);
    expect(() => languageModels({ ...none, LLM_MODELS: '/nowhere/models.json' })).toThrow('cannot be read (ENOENT)');
    expect(() => languageModels({ ...listed(own), LLM_TITLE_MODEL: 'nano' })).toThrow('none of LLM_MODELS');
  });
});
