import { file, question, tell, unknownDocument } from './journey.mts';
import { createFile, getCurrentUser, getDocument, streamToAssistant } from './orval.ts';

const me = await getCurrentUser();
const refused = await getDocument(unknownDocument.document_id);
const uploaded = await createFile({ file, purpose: 'assistants' });

const events: string[] = [];
const answered = await streamToAssistant(question, { onEvent: (kind) => void events.push(kind) });

tell({
  name: me.status === 200 ? me.data.name : '',
  refusal: refused.status === 404 && 'code' in refused.data ? refused.data.code : undefined,
  uploadedBytes: uploaded.status === 200 ? uploaded.data.bytes : undefined,
  events,
  text: answered.status === 200 ? (answered.data.message?.message ?? '') : '',
});
