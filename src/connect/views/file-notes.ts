import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { FileNote } from '../../sync/authorize/file-notes.ts'
import { localize } from '../texts/locale.ts'
import type { Localization } from '../visit/visitor.ts'

/** Parts of the uploaded files that were not imported, by file; nothing if all were. */
export function renderFileNotes(visitor: Localization, notes: readonly FileNote[]): Html | false {
  if (notes.length === 0) return false
  const texts = visitor.texts.done
  return html`<section class="notice" id="left-out"><h2>${texts.leftOut}</h2>
<ul>${notes.map(({ name, kind, text }) => html`<li>${texts[kind === 'refused' ? 'fileRefused' : 'fileInPart'](safeDisplayName(name), localize(text, visitor.locale))}</li>`)}</ul>
<p class="small">${texts.leftOutText(new Set(notes.map(({ name }) => name)).size)}</p></section>
`
}
