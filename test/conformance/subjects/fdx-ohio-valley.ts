import { fdxSubject } from '../../connectors/fdx/subject.ts'

export const subject = fdxSubject('fdx-ohio-valley', { isFlat: false, repeatedPage: 'repeatPage' })
