import { assistantCollections } from '../assistants/store/assistant-collections.ts';
import { conventionCollections } from '../conventions/store/convention-collections.ts';
import { conversationCollections } from '../conversations/store/conversation-collections.ts';
import { documentCollections } from '../documents/store/document-collections.ts';
import { removalCollections } from '../organisation-removal/store/removal-collections.ts';
import { searchCollections } from '../passages/store/passage-collections.ts';
import { reportCollections } from '../reports/store/report-collections.ts';
import { transcriptionCollections } from '../transcription/store/transcription-collections.ts';

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
