import { optional, text, url, type Setting } from '@platform-backend/core';

/** A server that speaks OpenAI's protocol. */
export const apiUrl = (description: string): Setting<string | undefined> =>
  optional(url({ protocols: ['https', 'http'], example: 'https://api.openai.com/v1', description }));

export const modelRuntimeSettings = {
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
