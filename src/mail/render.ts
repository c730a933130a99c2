import { type Html, html } from '../model/texts/html.ts'
import { toAccent } from '../model/values/colours.ts'
import { UTC } from '../model/values/dates.ts'
import type { Locale } from '../model/values/text.ts'
import type { MailBlock, MailMessage } from './templates.ts'

/** Colours chosen by an instance, six hexadecimal digits after a #; null where none. */
export interface MailColours {
  light: string | null
  dark: string | null
}

/** Branding of a mail: the instance in whose name it is sent. */
export interface MailBranding {
  colours: MailColours | null
  /** Contact address (e-mail or https) for recipients; empty: none. */
  contact: string
  logo: { type: string; bytes: Uint8Array } | null
  /** IANA time zone of the dates in the mail. */
  zone: string
}

export const DEFAULT_BRANDING: MailBranding = { colours: null, contact: '', logo: null, zone: UTC }
/**
 * Content-ID of the logo: embedded, so that nobody learns when the mail is read.
 * Source: https://www.rfc-editor.org/rfc/rfc2392
 */
export const LOGO_ID = 'logo'

/** As on the owner's pages. */
const OURS = { light: { accent: '#1d4fc4', ink: '#ffffff' }, dark: { accent: '#8fb4ff', ink: '#0c1a38' } }

/** Mail as plain text, with lines of any length. */
export function renderText(
  { requester, parts, texts }: MailMessage,
  { contact }: Pick<MailBranding, 'contact'> = DEFAULT_BRANDING,
): string {
  const blocks = parts.map((part) => {
    if ('say' in part) return part.say
    if ('button' in part) return `${part.button}${texts.colon}\n${part.address}`
    if ('quote' in part) return part.quote.replace(/^/gm, '> ')
    if ('table' in part) return part.table.map(([name, value]) => `${name}${texts.colon} ${value}`).join('\n')
    return part.small
  })
  return `${[...blocks, `-- \n${texts.foot(requester, contact)}`].join('\n\n')}\n`
}

/** Mail as HTML without scripts and external content. */
export function renderHtml(message: MailMessage, locale: Locale, { colours, contact, logo }: MailBranding = DEFAULT_BRANDING): string {
  const { requester, subject, parts, texts } = message
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${style(colours ?? { light: null, dark: null })}</style>
</head>
<body>
<div class="letter" role="article" lang="${locale}">
<p class="requester">${logo && html`<img src="cid:${LOGO_ID}" alt="" width="40" height="40"> `}${requester}</p>
<h1>${subject}</h1>
${parts.map((part) => renderPart(message, part))}
<p class="foot">${texts.foot(requester, contact)}</p>
</div>
</body>
</html>
`.markup
}

function renderPart({ texts }: MailMessage, part: MailBlock): Html {
  if ('say' in part)
    return html`<p>${part.say}</p>
`
  if ('quote' in part)
    return html`<blockquote>${part.quote}</blockquote>
`
  if ('small' in part)
    return html`<p class="small">${part.small}</p>
`
  if ('table' in part)
    return html`<table>${part.table.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
`
  return html`<p><a class="button" href="${part.address}">${part.button}</a></p>
<p class="small">${texts.address} <span class="address">${part.address}</span></p>
`
}

/** NOTE: colours are validated when they are set, so nothing here can close the style element. */
function style(chosen: MailColours): Html {
  const light = chosen.light === null ? OURS.light : toAccent(chosen.light, 'light')
  const dark = chosen.dark === null ? OURS.dark : toAccent(chosen.dark, 'dark')
  return html`:root{color-scheme:light dark}
body{margin:0;padding:24px 12px;background:#eef1f6;color:#16202e;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
.letter{max-width:560px;margin:0 auto;padding:24px;background:#fff;border:1px solid #d6dce6;border-radius:12px}
.requester{margin:0 0 8px;font-weight:600}
.requester img{vertical-align:middle;object-fit:contain;background:#fff;border-radius:6px}
h1{margin:0 0 16px;font-size:22px;line-height:1.3}
p{margin:0 0 16px}
blockquote{margin:0 0 16px;padding:4px 16px;border-left:4px solid ${light.accent};white-space:pre-line}
table{margin:0 0 16px;border-collapse:collapse}
th,td{padding:4px 16px 4px 0;text-align:left;vertical-align:top}
th{font-weight:400;color:#51607a}
.button{display:inline-block;padding:12px 24px;border-radius:8px;background:${light.accent};color:${light.ink};font-weight:600;text-decoration:none}
.small,.foot{font-size:14px;color:#51607a}
.address{color:inherit}
.foot{margin:24px 0 0;padding-top:12px;border-top:1px solid #d6dce6}
@media (prefers-color-scheme:dark){
body{background:#0e131b;color:#edf1f8}
.letter{background:#18202c;border-color:#303c4f}
th,.small,.foot{color:#aab6ca}
.foot{border-color:#303c4f}
blockquote{border-color:${dark.accent}}
.button{background:${dark.accent};color:${dark.ink}}
}`
}
