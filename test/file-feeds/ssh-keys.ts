import ssh2 from 'ssh2'

interface Encryption {
  passphrase: string
  cipher: string
  rounds: number
}

/**
 * A key pair of Ed25519 in the format of OpenSSH. One in some 400 that ssh2 generates cannot be read, by ssh2 or by
 * OpenSSH: such a one is generated again.
 */
export function makeEd25519Pair(encryption?: Encryption): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', encryption)
  return ssh2.utils.parseKey(pair.private, encryption?.passphrase) instanceof Error ? makeEd25519Pair(encryption) : pair
}
