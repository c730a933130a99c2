/** Thrown for a file that is no backup, or is not as it was written: changed, cut short or continued. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged'
}

/** Thrown when the passphrase is not that of the file. */
export class WrongPassphrase extends Error {
  override readonly name = 'WrongPassphrase'

  constructor() {
    super('the passphrase is not the one that this backup was made with')
  }
}
