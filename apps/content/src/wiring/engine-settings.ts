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

const apiUrl = (): Setting<string | undefined> =>
  optional(url({ protocols: ['https', 'http'], example: 'https://api.openai.com/v1' }));

export const engineSettings = {
  EMBEDDINGS_BASE_URL: apiUrl(),
  EMBEDDINGS_API_KEY: optional(secret(text())),
  EMBEDDINGS_MODEL: text({ default: 'text-embedding-3-small' }),
  TRANSCRIPTION_BASE_URL: apiUrl(),
  TRANSCRIPTION_API_KEY: optional(secret(text())),
  TRANSCRIPTION_MODEL: text({ default: 'whisper-1' }),
  TRANSCRIPTION_MAX_SECONDS: integer({ default: 3600, min: 1, max: 14_400 }),
  TRANSCRIPTION_MICROS_PER_SECOND: integer({ default: 1000, min: 0, max: 1_000_000 }),
  MODELS_DIR: optional(text({ example: '/var/lib/platform/models' })),
  PLATFORM_HOME: optional(text()),
} satisfies Settings;

export type EngineSettings = Configuration<typeof engineSettings>;
