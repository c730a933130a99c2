import { type Html, html } from '../../model/texts/html.ts'
import type { Localization } from '../visit/visitor.ts'

/** Error in a field; in the whole form when `field` is null. */
export interface FieldProblem {
  field: string | null
  /** Label of the field, where the summary needs it. */
  label?: string
  text: string
}

/** Error summary before the heading; it takes the focus. Empty without errors. */
export function errorSummary(visitor: Localization, problems: readonly FieldProblem[]): Html {
  if (problems.length === 0) return html``
  return html`<div class="summary" role="alert" tabindex="-1" autofocus aria-labelledby="summary-title">
<h2 id="summary-title">${visitor.texts.layout.problem}</h2>
<ul>${problems.map(({ field, label, text }) => {
    const shown = label === undefined ? text : html`<strong>${label}</strong> ${text}`
    return html`<li>${field === null ? shown : html`<a href="#field-${field}">${shown}</a>`}</li>`
  })}</ul>
</div>`
}

/** Error message beside the field, as `error-{field}`; null without an error. */
export function fieldErrorOf(problems: readonly FieldProblem[], field: string): Html | null {
  const own = problems.filter((problem) => problem.field === field)
  if (own.length === 0) return null
  return html`<p class="error" id="error-${field}">${own.map(({ text }) => html`<span>${text}</span> `)}</p>`
}
