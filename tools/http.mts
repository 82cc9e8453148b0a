// The HTTP client of everything but the package: it returns every response, with any status, and uses no proxy.
import axios from 'axios';

export const http = axios.create({ proxy: false, validateStatus: () => true });

// axios names a content type even where there is no content.
http.interceptors.request.use((config) => {
	if (config.data === undefined) config.headers.setContentType(false);
	return config;
});

/** Leaves a response's text as it is. */
export const AS_TEXT = { responseType: 'text', transformResponse: (text: string) => text } as const;

/** Returns whether a status says that the request succeeded */
export const isOk = ({ status }: { status: number }): boolean => status >= 200 && status < 300;
