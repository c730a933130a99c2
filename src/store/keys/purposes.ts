/** Purposes of keys; each purpose has its own. */
export const PURPOSES = ['sealing', 'signing', 'token-hash'] as const
export type Purpose = (typeof PURPOSES)[number]
