import { useLanguage } from '../../texts/language/language.tsx'
import { UserText } from './user-text.tsx'

interface ApiTextProps {
  text: string
  /** Translation, or null if there is none; omitted for log messages, which are in English only. */
  french?: (text: string) => string | null
  most?: number
}

/** Text of the API in the page's language; marked as English (`lang`) where there is no translation. */
export function ApiText({ text, french = () => null, most = 400 }: ApiTextProps) {
  const { language } = useLanguage()
  const said = language === 'fr' ? french(text) : text
  return (
    <span {...(said === null ? { lang: 'en' } : {})}>
      <UserText most={most}>{said ?? text}</UserText>
    </span>
  )
}
