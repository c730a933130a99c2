const TEXTS = {
  en: {
    title: 'Create a SimpleFIN token',
    intro: 'Whose accounts do you share? The application will read them, and nothing else.',
    make: 'Create a token',
    done: 'Copy this token and paste it into the application. It works once.',
  },
  fr: {
    title: 'Créer un jeton SimpleFIN',
    intro: 'Les comptes de qui partagez-vous? L’application les lira, et rien d’autre.',
    make: 'Créer un jeton',
    done: 'Copiez ce jeton et collez-le dans l’application. Il ne sert qu’une fois.',
  },
}

/** The page on which owners create tokens, in French if the browser prefers it, otherwise in English. */
export function createPage(language: string | undefined, users: readonly string[], token: string | null): string {
  const lang = /^fr/i.test(language ?? '') ? 'fr' : 'en'
  const texts = TEXTS[lang]
  const form = `<form method="post"><p>${texts.intro}</p>
<select name="user" aria-label="${texts.intro}">${users.map((user) => `<option>${user}</option>`).join('')}</select>
<button>${texts.make}</button></form>`
  const done = `<p>${texts.done}</p><p><code id="token">${token}</code></p>`
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${texts.title}</title></head><body>
<h1>${texts.title}</h1>${token === null ? form : done}</body></html>`
}
