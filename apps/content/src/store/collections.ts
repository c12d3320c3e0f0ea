import { assistantCollections } from './assistant-collections.ts';
import { conventionCollections } from './convention-collections.ts';
import { conversationCollections } from './conversation-collections.ts';
import { documentCollections } from './document-collections.ts';
import { removalCollections } from './removal-collections.ts';
import { reportCollections } from './report-collections.ts';
import { searchCollections } from './search-collections.ts';
import { transcriptionCollections } from './transcription-collections.ts';

/** Everything the service keeps. */
export const collections = {
  ...assistantCollections,
  ...conventionCollections,
  ...conversationCollections,
  ...documentCollections,
  ...removalCollections,
  ...reportCollections,
  ...searchCollections,
  ...transcriptionCollections,
};
