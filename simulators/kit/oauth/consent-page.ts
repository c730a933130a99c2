import { escapeXml } from '../pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../pages/page-frame.ts'
import { type PageLanguage, pageLanguage } from '../pages/page-language.ts'

/** A login offered on a consent page. */
export interface ConsentLogin {
  key: string
  person: string
  email: string
}

/** A button of the page. */
interface Answer {
  /** Posted as `decision`. */
  value: string
  label: Readonly<Record<PageLanguage, string>>
}

export interface ConsentForm {
  allow: Answer
  deny: Answer
  /** Form field of the choice. */
  choice: string
}

export const CONSENT_FORM: ConsentForm = {
  allow: { value: 'allow', label: { en: 'Allow', fr: 'Autoriser' } },
  deny: { value: 'deny', label: { en: 'Deny', fr: 'Refuser' } },
  choice: 'businessId',
}

/** Heading, and what is shared. */
export type ConsentWords = Readonly<Record<PageLanguage, { heading: string; scope: string }>>

export interface ConsentPage {
  /** Accept-Language header. */
  language: string | undefined
  /** Source name, as in "Connect to Wave". */
  source: string
  login: ConsentLogin
  logins: readonly ConsentLogin[]
  form: ConsentForm
  /** Books to choose from; empty if there is no choice. */
  choices: readonly Choice[]
  /** Names of the books that the login gives access to, if there is no choice. */
  opens: readonly string[]
  /** Texts for a source that is not accounting software. */
  words?: ConsentWords
  /** Parameters of the page's own address, kept when another login is selected. */
  query: URLSearchParams
}

export interface Choice {
  id: string
  label: string
}

const TEXTS = {
  en: {
    title: (source: string) => `Connect to ${source} (simulated)`,
    sandbox: (source: string) => `Sandbox: this page stands in for ${source}. No real business is connected.`,
    heading: (source: string) => `The app asks to read your books in ${source}`,
    signedInAs: 'Signed in as',
    switchTo: 'Use another sign-in:',
    choose: 'Business to share',
    scope:
      'It will see your business’s name, your chart of accounts and what was posted to it. You can end this at any time in your settings.',
    opens: 'It can read all of these:',
    refused: 'The request of the app is not valid',
  },
  fr: {
    title: (source: string) => `Connexion à ${source} (simulée)`,
    sandbox: (source: string) => `Bac à sable : cette page tient lieu de ${source}. Aucune vraie entreprise n’est connectée.`,
    heading: (source: string) => `L’application demande à lire vos livres dans ${source}`,
    signedInAs: 'Session ouverte :',
    switchTo: 'Ouvrir une autre session :',
    choose: 'Entreprise à partager',
    scope:
      'L’application verra le nom de votre entreprise, votre plan comptable et ce qui y est inscrit. Vous pouvez y mettre fin en tout temps dans vos paramètres.',
    opens: 'Elle pourra lire tout ceci :',
    refused: 'La demande de l’application n’est pas valide',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#1b2330;background:#f0f3f8}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c4cdda;border-radius:.75rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
fieldset{border:1px solid #8592a6;border-radius:.5rem;margin:1rem 0;padding:.5rem 1rem}
label{display:flex;gap:.6rem;align-items:center;min-height:2.75rem}
input{width:1.25rem;height:1.25rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #1d4f91;background:#fff;color:#173f74;cursor:pointer}
button.primary{background:#1d4f91;color:#fff}
a{color:#173f74}
:focus-visible{outline:3px solid #a8480f;outline-offset:2px}
`

/**
 * Sign-in and consent on one page, in English or French by the browser's language. Posts `decision` to the page's own
 * address.
 */
export function consentPage(page: ConsentPage): string {
  const language = pageLanguage(page.language)
  const texts = TEXTS[language]
  const { allow, deny } = page.form
  const others = page.logins.filter(({ key }) => key !== page.login.key)
  return layout(
    language,
    page.source,
    `<p class="sandbox">${texts.sandbox(page.source)}</p>
<h1>${page.words?.[language].heading ?? texts.heading(page.source)}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(page.login.person)}</strong> (${escapeXml(page.login.email)})</p>
<form method="post">
${choiceFields(page, texts.choose)}${openedBooks(page, texts.opens)}
<p>${page.words?.[language].scope ?? texts.scope}</p>
<button class="primary" type="submit" name="decision" value="${allow.value}">${allow.label[language]}</button>
<button type="submit" name="decision" value="${deny.value}">${deny.label[language]}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${loginLinks(others, page.query)}</ul>`,
  )
}

/** Page shown if the app's request itself is invalid; the browser is not redirected. */
export function refusalPage(acceptLanguage: string | undefined, source: string, reason: string): string {
  const language = pageLanguage(acceptLanguage)
  return layout(language, source, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function choiceFields({ choices, form }: ConsentPage, legend: string): string {
  if (choices.length === 0) return ''
  const fields = choices.map(({ id, label }, index) => {
    const checked = index === 0 ? ' checked' : ''
    return `<label><input type="radio" name="${form.choice}" value="${escapeXml(id)}" required${checked}> <span>${escapeXml(label)}</span></label>`
  })
  return `<fieldset><legend>${legend}</legend>${fields.join('')}</fieldset>`
}

function openedBooks({ opens }: ConsentPage, title: string): string {
  const names = opens.map((name) => `<li>${escapeXml(name)}</li>`)
  return names.length === 0 ? '' : `<p id="opens">${title}</p><ul aria-labelledby="opens">${names.join('')}</ul>`
}

function layout(language: PageLanguage, source: string, content: string): string {
  return pageFrame(language, TEXTS[language].title(source), STYLE, content)
}
