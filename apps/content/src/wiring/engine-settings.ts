import {
  integer,
  optional,
  secret,
  text,
  url,
  type Configuration,
  type Setting,
  type Settings,
} from '@platform-backend/core';

const apiUrl = (description: string): Setting<string | undefined> =>
  optional(url({ protocols: ['https', 'http'], example: 'https://api.openai.com/v1', description }));

export const engineSettings = {
  EMBEDDINGS_BASE_URL: apiUrl(
    'an API for meanings of texts that speaks OpenAI’s protocol, with its version: `https://host/v1`; without one it is what `npm run models` installed, else a small encoder from npm',
  ),
  EMBEDDINGS_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  EMBEDDINGS_MODEL: text({ default: 'text-embedding-3-small', description: 'the model that it is asked for' }),
  TRANSCRIPTION_BASE_URL: apiUrl(
    'the same for speech; without one it is the Whisper that `npm run models` installed with Debian’s `ffmpeg`, else Debian’s `pocketsphinx`, which is poor',
  ),
  TRANSCRIPTION_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  TRANSCRIPTION_MODEL: text({ default: 'whisper-1', description: 'the model that it is asked for' }),
  TRANSCRIPTION_MAX_SECONDS: integer({ default: 3600, min: 1, max: 14_400, description: 'longer recordings are 413' }),
  TRANSCRIPTION_MICROS_PER_SECOND: integer({
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'what a second of sound costs, in millionths of a credit; 0: nothing',
  }),
  MODELS_DIR: optional(
    text({
      example: '/var/lib/platform/models',
      defaultDescription: '`models` in `PLATFORM_HOME`',
      description:
        'what `npm run models` installs into, and from where models are read; may be brought from another machine',
    }),
  ),
  PLATFORM_HOME: optional(text({ description: 'the folder of `npm start`, in which `models` are' })),
} satisfies Settings;

export type EngineSettings = Configuration<typeof engineSettings>;
