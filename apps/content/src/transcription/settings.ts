import { integer, optional, secret, text } from '@platform-backend/core';
import { apiUrl } from '../model-runtime/settings.ts';

export const transcriptionSettings = {
  TRANSCRIPTION_BASE_URL: apiUrl(
    'an API for speech that speaks OpenAI’s protocol, with its version; without one it is the Whisper that `npm run models` installed with Debian’s `ffmpeg`, else Debian’s `pocketsphinx`, which is poor',
  ),
  TRANSCRIPTION_API_KEY: optional(secret(text({ description: 'the key of that API' }))),
  TRANSCRIPTION_MODEL: text({ default: 'whisper-1', description: 'the model that it is asked for' }),
  TRANSCRIPTION_MAX_SECONDS: integer({ default: 3600, min: 1, max: 14_400, description: 'longer recordings are 413' }),
  TRANSCRIPTION_JOB_MAX_SECONDS: integer({
    default: 14_400,
    min: 1,
    max: 14_400,
    description: 'a longer recording of a transcription job fails',
  }),
  TRANSCRIPTION_JOB_WORKERS: integer({
    default: 1,
    min: 0,
    max: 8,
    description: 'transcription jobs that a replica works on at once; 0: it leaves them to others',
  }),
  TRANSCRIPTION_JOB_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'what a killed replica costs a transcription job that it was working on',
  }),
  TRANSCRIPTION_MICROS_PER_SECOND: integer({
    default: 1000,
    min: 0,
    max: 1_000_000,
    description: 'what a second of sound costs, in millionths of a credit; 0: nothing',
  }),
};
