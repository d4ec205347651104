# An image with the single executable: no Node, no shell, and an unprivileged user.
FROM node:24-bookworm AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run binary && cp dist/bin/cdpadm-linux-"$(node -p process.arch)" /usr/bin/cdpadm

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/bin/cdpadm /usr/bin/cdpadm
COPY --from=build /src/dist/bin/LICENSES.txt /usr/share/doc/cdpadm/copyright
ENTRYPOINT ["/usr/bin/cdpadm"]
