package dev.kilter;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method waits for a message of another node. When it returns, the message is offered as this action. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Receives {
    String value();

    /** Expressions of README.md. */
    String[] args() default {};

    /** `name=expression` for each field of the message. */
    String[] message() default {};
}
