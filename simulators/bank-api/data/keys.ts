/** What the sandbox's keys are, and what the simulators take. The key pair is for nothing else. */
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

/** The keys that each of the three banks asks for. */
export const SANDBOX_KEYS = {
  harbourline: { clientId: KEYS.clientId, clientSecret: KEYS.clientSecret },
  peakfield: { clientId: KEYS.clientId, clientSecret: KEYS.clientSecret, apiKey: KEYS.apiKey },
  granite: { clientId: KEYS.clientId, privateKey: KEYS.privateKey, keyId: KEYS.keyId },
} as const
