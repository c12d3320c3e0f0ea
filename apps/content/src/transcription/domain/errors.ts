import { declareError } from '@platform-backend/core';

export const emptyStream = declareError('malformed', 'empty_stream', 'The stream has no first message');
export const transcriptionNotFound = declareError('not_found', 'transcription_not_found', 'Transcription not found');
export const damagedAudio = declareError('malformed', 'damaged_audio', 'The audio is damaged: it cannot be decoded');
export const transcriptionNotInstalled = declareError(
  'not_provided',
  'transcription_not_installed',
  'Transcription needs {program} on the server: {remedy}',
  3600,
);
export const recordingTooLong = declareError(
  'too_large',
  'too_large',
  'The recording is longer than {minutes} minutes',
);
export const noAudio = declareError(
  'unsupported_media',
  'unsupported_media',
  'The file is no audio in a format that can be read: mp3, wav, m4a, webm, ogg, flac',
);
export const recordingRefused = declareError(
  'unsupported_media',
  'recording_refused',
  'The speech recogniser does not take the recording: it may be damaged, larger than it reads, or in a language that it does not know',
);
export const transcriptionJobNotFound = declareError(
  'not_found',
  'transcription_job_not_found',
  'Transcription job not found',
);
export const tooManyTranscriptionJobs = declareError(
  'conflict',
  'too_many_transcription_jobs',
  'The organisation has {limit} transcription jobs that are not over: wait for one, or cancel one',
);
/** Of a job: told with it. */
export const transcriptionFailed = declareError(
  'upstream_failed',
  'transcription_failed',
  'A part of the platform was away or failed in each of several attempts: ask for the transcription again later',
);
export const recordingGone = declareError(
  'conflict',
  'recording_gone',
  'The document was deleted, or its bytes are not what they were',
);
