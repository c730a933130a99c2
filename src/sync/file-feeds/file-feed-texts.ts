import type { LocalizedText } from '../../model/values/text.ts'

export function tooLarge(mostBytes: number): LocalizedText {
  const megabytes = Math.floor(mostBytes / 1024 / 1024)
  return {
    en: `The file is larger than ${megabytes} MB. Export a shorter period.`,
    'fr-CA': `Le fichier dépasse ${megabytes} Mo. Exportez une période plus courte.`,
  }
}

/** Text placed beside a file in quarantine. */
export function reasonText(name: string, refusal: LocalizedText, now: Date): string {
  const at = now.toISOString()
  return [
    `The file ${name} was not taken (${at}).`,
    refusal.en,
    'Nothing of it was imported. Put a corrected file where this one was.',
    '',
    `Le fichier ${name} n’a pas été accepté (${at}).`,
    refusal['fr-CA'],
    'Rien n’en a été importé. Déposez un fichier corrigé au même endroit.',
    '',
  ].join('\n')
}

/** Text placed beside an archived file that was imported in part. */
export function partlyImportedText(name: string, leftOut: LocalizedText, now: Date): string {
  const at = now.toISOString()
  return [
    `The file ${name} was taken, except for what follows (${at}).`,
    leftOut.en,
    '',
    `Le fichier ${name} a été accepté, sauf ce qui suit (${at}).`,
    leftOut['fr-CA'],
    '',
  ].join('\n')
}
