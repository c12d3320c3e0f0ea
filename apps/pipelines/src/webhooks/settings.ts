import { secretSettings } from '@platform-backend/core/secret-box';
import { outboundSettings } from '@platform-backend/outbound';

export const webhookSettings = { ...outboundSettings, ...secretSettings };
