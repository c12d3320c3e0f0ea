import { secretSettings } from '@platform-backend/core/secret-box';
import { outboundSettings } from '@platform-backend/outbound';

export const connectionSettings = { ...outboundSettings, ...secretSettings };
