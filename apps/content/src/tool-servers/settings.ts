import { outboundSettings, secretSettings } from '@platform-backend/outbound';

export const toolServerSettings = { ...outboundSettings, ...secretSettings };
