import type { LocalizedText } from '../../model/values/text.ts'
import { InputRefused } from '../contract/authorization.ts'

const NEWLINE = 0x0a

/** Refusal of the whole file. */
export function refused(en: string, french: string): InputRefused {
  return new InputRefused({ en, 'fr-CA': french })
}

/** Fault with its line number; lines count from 1. */
export function faultAt(line: number, en: string, french: string): LocalizedText {
  return { en: `Line ${line}: ${en}`, 'fr-CA': `Ligne ${line} : ${french}` }
}

/** Fault for a transaction outside any statement, or in one with an unknown account. */
export function movementOfNoAccount(line: number): LocalizedText {
  return faultAt(line, 'a transaction belongs to no account.', 'une opération n’appartient à aucun compte.')
}

export function refusedAt(line: number, en: string, french: string): InputRefused {
  return new InputRefused(faultAt(line, en, french))
}

/** Fault for a truncated file, usually an interrupted download. */
export function cutAt(line: number, en: string, french: string): InputRefused {
  return new InputRefused(cutText(faultAt(line, en, french)))
}

export function cutText(fault: LocalizedText): LocalizedText {
  return {
    en: `${fault.en} The file seems to be cut; download it again.`,
    'fr-CA': `${fault['fr-CA']} Le fichier semble tronqué; téléchargez-le de nouveau.`,
  }
}

/** Tag name if it is safe to show; one that may hold an account number is not. */
export function shownName(name: string): string {
  return /^[A-Za-z][A-Za-z.:]{0,30}[0-9]{0,2}$/.test(name) ? name : '…'
}

/** Characters per stretch, whose line number is cached. */
const STRETCH = 4096

/** Line number of a character offset; each lookup scans at most one stretch of the text, in any order of lookups. */
export function lineCounter(text: string): (offset: number) => number {
  /** Line ends before each stretch, as far as already requested. */
  const ended: number[] = [0]
  return (offset) => {
    const stretch = Math.floor(Math.min(offset, text.length) / STRETCH)
    for (let known = ended.length; known <= stretch; known += 1) {
      ended.push((ended[known - 1] ?? 0) + countLines(text, (known - 1) * STRETCH, known * STRETCH))
    }
    return 1 + (ended[stretch] ?? 0) + countLines(text, stretch * STRETCH, offset)
  }
}

/**
 * Number of line ends between two offsets. NOTE not by `indexOf`, which would scan past the stretch for a next line.
 */
function countLines(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === NEWLINE) lines += 1
  return lines
}
