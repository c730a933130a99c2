import type { LocalizedText } from '../../model/text.ts'
import { InputRefused } from '../authorization.ts'

/** A refusal of the whole file. */
export function refused(en: string, french: string): InputRefused {
  return new InputRefused({ en, 'fr-CA': french })
}

/** A fault that names its line; lines count from 1. */
export function faultAt(line: number, en: string, french: string): LocalizedText {
  return { en: `Line ${line}: ${en}`, 'fr-CA': `Ligne ${line} : ${french}` }
}

export function refusedAt(line: number, en: string, french: string): InputRefused {
  return new InputRefused(faultAt(line, en, french))
}

/** The file stops in the middle: an interrupted download, most of the time. */
export function cutAt(line: number, en: string, french: string): InputRefused {
  return refusedAt(
    line,
    `${en} The file seems to be cut; download it again.`,
    `${french} Le fichier semble tronqué; téléchargez-le de nouveau.`,
  )
}

/** A tag's name fit to be shown; what may hold an account number is not. */
export function shownName(name: string): string {
  return /^[A-Za-z][A-Za-z.:]{0,30}[0-9]{0,2}$/.test(name) ? name : '…'
}

/** Line of a character offset. Cheap when asked in rising order, as a reader does. */
export function lineCounter(text: string): (offset: number) => number {
  let from = 0
  let line = 1
  return (offset) => {
    if (offset < from) {
      from = 0
      line = 1
    }
    for (let at = text.indexOf('\n', from); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1
      from = at + 1
    }
    return line
  }
}
