/** Keys of the sandbox, accepted by the simulators. The key pair is used nowhere else. */
export const KEYS = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
  apiKey: 'sandbox-api-key',
  keyId: 'sandbox-key',
  privateKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnzKrQ0/1O1oCHDbg
kfvSCbz5/cTeKkjUlkMVqUoZC0ihRANCAATVtT57dmluB+D/nAy0wRtVNMlcwQTj
FCgGCFugwLPZ3LwNNu/nIAZKRnszXI4OgHQ1Fe5FjfxoA/ZRuy68cfxi
-----END PRIVATE KEY-----`,
}

/** Keys that each of the three banks requires. */
export const SANDBOX_KEYS = {
  harbourline: { clientId: KEYS.clientId, clientSecret: KEYS.clientSecret },
  peakfield: { clientId: KEYS.clientId, clientSecret: KEYS.clientSecret, apiKey: KEYS.apiKey },
  granite: { clientId: KEYS.clientId, privateKey: KEYS.privateKey, keyId: KEYS.keyId },
} as const
