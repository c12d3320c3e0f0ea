import { optional, text, url, type Setting } from '@platform-backend/core';

/** A server that speaks OpenAI's protocol. */
export const apiUrl = (description: string): Setting<string | undefined> =>
  optional(url({ protocols: ['https', 'http'], example: 'https://api.openai.com/v1', description }));

export const modelRuntimeSettings = {
  LLM_MODELS: optional(
    text({
      example: '/etc/platform/models.json',
      defaultDescription: 'those of `LLM_BASE_URL` alone',
      description:
        'language models of several providers, each with its price and limits: a list in JSON, or the path of a file with it ([models](models.md#several-providers))',
    }),
  ),
  MODELS_DIR: optional(
    text({
      example: '/var/lib/platform/models',
      defaultDescription: '`models` in `PLATFORM_HOME`',
      description:
        'what `npm run models` installs into, and from where models are read; may be brought from another machine',
    }),
  ),
  PLATFORM_HOME: optional(text({ description: 'the folder of `npm start`, in which `models` are' })),
};
