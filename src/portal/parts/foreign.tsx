import { useLanguage } from '../texts/language/language.tsx'
import { Words } from './words.tsx'

interface ForeignProps {
  text: string
  /** Null where only the English words are known; left out for words of a log, which are English whatever they say. */
  french?: (text: string) => string | null
  most?: number
}

/** Words of the API in the language of the page; as they came, and said to be English, where it has none for them. */
export function Foreign({ text, french = () => null, most = 400 }: ForeignProps) {
  const { language } = useLanguage()
  const said = language === 'fr' ? french(text) : text
  return (
    <span {...(said === null ? { lang: 'en' } : {})}>
      <Words most={most}>{said ?? text}</Words>
    </span>
  )
}
